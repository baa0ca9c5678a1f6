#include "host/config/names.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

TEST(NamesTest, KubernetesRulesForNamesHold) {
  for (const char* text : {"a", "kube-system", "0a"}) EXPECT_TRUE(is_dns_label(text)) << text;
  for (const char* text : {"", "-a", "a-", "A", "a.b", "a_b"}) EXPECT_FALSE(is_dns_label(text));
  EXPECT_FALSE(is_dns_label(std::string(64, 'a')));
  EXPECT_TRUE(is_dns_subdomain("events.k8s.io"));
  for (const char* text : {"", ".", "a..b", "a.", "A.b"}) EXPECT_FALSE(is_dns_subdomain(text));
  EXPECT_TRUE(is_ip_address("127.0.0.1"));
  EXPECT_TRUE(is_ip_address("::1"));
  for (const char* text : {"", "localhost", "1.2.3", "[::1]"}) EXPECT_FALSE(is_ip_address(text));
}

}  // namespace
}  // namespace davit::host
