#include "host/config/duration.hpp"

#include <gtest/gtest.h>

#include "host/config/base64.hpp"
#include "host/config/names.hpp"

namespace davit::host {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(DurationTest, GoSyntaxIsRead) {
  const std::pair<const char*, Duration> cases[] = {
      {"0", seconds(0)},
      {"15s", seconds(15)},
      {"1m30s", seconds(90)},
      {"1.5h", minutes(90)},
      {"300ms", milliseconds(300)},
      {"-2s", seconds(-2)},
      {"+2s", seconds(2)},
      {".5s", milliseconds(500)},
      {"1.s", seconds(1)},
      {"10us", nanoseconds(10'000)},
      {"10\u00b5s", nanoseconds(10'000)},
      {"7ns", nanoseconds(7)},
      {"2562047h", hours(2562047)},
      {"0.000000001s", nanoseconds(1)},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(parse_duration(text), want) << text;
}

TEST(DurationTest, EverythingElseIsRefused) {
  for (const char* text : {"", "15", "s", "1 s", "1x", ".s", "1s2", "-", "1e3s", "9999999h",
                           "99999999999999999999s", "1S"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(DurationTest, FormattingIsGos) {
  const std::pair<Duration, const char*> cases[] = {
      {seconds(0), "0s"},
      {seconds(15), "15s"},
      {seconds(90), "1m30s"},
      {minutes(60), "1h0m0s"},
      {milliseconds(1500), "1.5s"},
      {milliseconds(300), "300ms"},
      {nanoseconds(1500), "1.5\u00b5s"},
      {nanoseconds(7), "7ns"},
      {seconds(-2), "-2s"},
      {seconds(3661), "1h1m1s"},
  };
  for (const auto& [value, want] : cases) EXPECT_EQ(format_duration(value), want);
}

TEST(Base64Test, StandardAlphabetWithPaddingIsDecoded) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("TQ=="), "M");
  EXPECT_EQ(decode_base64("TWE="), "Ma");
  EXPECT_EQ(decode_base64("TWFu"), "Man");
  EXPECT_EQ(decode_base64("TW\nFu\n"), "Man");
  EXPECT_EQ(decode_base64("+/+/"), "\xfb\xff\xbf");
  for (const char* text : {"T", "TQ", "TQ=", "TWF", "T===", "TQ==TQ==", "TW-u", "TW u"}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

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
