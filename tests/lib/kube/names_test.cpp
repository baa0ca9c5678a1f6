#include "lib/kube/names.hpp"

#include <gtest/gtest.h>

#include <davit/kube/label_syntax.hpp>

namespace davit {
namespace {

/// The first words of the violation; empty: none.
struct NameCase {
  Violations (*check)(std::string_view);
  std::string text;
  std::string_view violation;
};

TEST(NamesTest, SyntaxIsThatOfTheRealServer) {
  const NameCase cases[] = {
      {check_dns_subdomain, "a.b-c.9", ""},
      {check_dns_subdomain, "", "a lowercase RFC 1123 subdomain must consist"},
      {check_dns_subdomain, "A", "a lowercase RFC 1123 subdomain must consist"},
      {check_dns_subdomain, "a..b", "a lowercase RFC 1123 subdomain must consist"},
      {check_dns_subdomain, "a-", "a lowercase RFC 1123 subdomain must consist"},
      {check_dns_subdomain, std::string(254, 'a'), "must be no more than 253 bytes"},
      {check_dns_label, "123-abc", ""},
      {check_dns_label, "a.b", "must not contain dots"},
      {check_dns_label, "a_b", "a lowercase RFC 1123 label must consist"},
      {check_dns_label, std::string(64, 'a'), "must be no more than 63 bytes"},
      {check_dns1035_label, "a1", ""},
      {check_dns1035_label, "1a", "a DNS-1035 label must consist"},
      {check_path_segment, "system:node", ""},
      {check_path_segment, "a/b", "may not contain '/'"},
      {check_path_segment, "..", "may not be '..'"},
      {check_qualified_name, "example.com/My_Name", ""},
      {check_qualified_name, "/a", "prefix part must be non-empty"},
      {check_qualified_name, "a/", "name part must be non-empty"},
      {check_qualified_name, "Big/a", "prefix part a lowercase RFC 1123 subdomain"},
      {check_qualified_name, "a/b/c", "a valid label key must consist"},
      {check_qualified_name, "-a", "name part must consist"},
      {check_label_value, "", ""},
      {check_label_value, "a b", "a valid label must be an empty string or"},
      {check_port_name, "http", ""},
      {check_port_name, "80", "must contain at least one letter (a-z)"},
      {check_port_name, "a--b", "must not contain consecutive hyphens"},
      {check_port_name, "a-", "must not begin or end with a hyphen"},
      {check_port_name, "sixteen-letters-", "must be no more than 15 bytes"},
      {check_env_var_name, "a b:c", ""},
      {check_env_var_name, "a=b", "a valid environment variable name must consist only"},
      {check_config_key, "a.b_C", ""},
      {check_config_key, "..a", "must not start with '..'"},
      {check_config_key, "a/b", "a valid config key must consist"},
      {check_ip, "10.0.0.1", ""},
      {check_ip, "::1", ""},
      {check_ip, "10.0.0", "must be a valid IP address"},
  };
  for (const NameCase& each : cases) {
    const Violations violations = each.check(each.text);
    if (each.violation.empty()) {
      EXPECT_TRUE(violations.empty()) << each.text;
      continue;
    }
    ASSERT_FALSE(violations.empty()) << each.text;
    EXPECT_EQ(violations.front().substr(0, each.violation.size()), each.violation) << each.text;
  }
}

/// The SDK's header-only predicates and the violations of the API agree.
TEST(NamesTest, FormsAreThoseOfTheChecks) {
  const std::string texts[] = {"",
                               "a",
                               "kube-system",
                               "0a",
                               "-a",
                               "a-",
                               "A",
                               "a.b",
                               "a_b",
                               "events.k8s.io",
                               ".",
                               "a..b",
                               "a.",
                               "A.b",
                               "a.-b",
                               "a/b",
                               "/a",
                               "a/b/c",
                               "a/",
                               "A/b",
                               std::string(63, 'a'),
                               std::string(64, 'a'),
                               std::string(253, 'a'),
                               std::string(254, 'a')};
  for (const std::string& text : texts) {
    EXPECT_EQ(is_dns_label(text), check_dns_label(text).empty()) << text;
    EXPECT_EQ(is_dns_subdomain(text), check_dns_subdomain(text).empty()) << text;
    EXPECT_EQ(is_label_key(text), check_qualified_name(text).empty()) << text;
    EXPECT_EQ(is_label_value(text), check_label_value(text).empty()) << text;
  }
  EXPECT_TRUE(is_ip("127.0.0.1"));
  EXPECT_TRUE(is_ip("::1"));
  for (const char* text : {"", "localhost", "1.2.3", "[::1]"}) EXPECT_FALSE(is_ip(text)) << text;
}

TEST(NamesTest, ViolationsAreInTheApisWords) {
  EXPECT_EQ(check_dns_subdomain("A").front(),
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
            "'-' or '.', and must start and end with an alphanumeric character (e.g. "
            "'example.com', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  EXPECT_EQ(check_dns_label("A").front(),
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
            "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
            "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  EXPECT_EQ(check_label_value("-").front(),
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
            "or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
            "'my_value',  or '12345', regex used for validation is "
            "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
}

TEST(NamesTest, APrefixOfGeneratedNamesMayEndWithADash) {
  EXPECT_TRUE(check_generate_name(NameRule::kSubdomain, "web-").empty());
  EXPECT_FALSE(check_generate_name(NameRule::kSubdomain, "-").empty());
  EXPECT_FALSE(check_generate_name(NameRule::kSubdomain, "Web-").empty());
}

}  // namespace
}  // namespace davit
