
#include <gtest/gtest.h>

#include <davit/kube/signed_duration.hpp>

namespace davit {
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
  for (const auto& [text, want] : cases) EXPECT_EQ(parse_signed_duration(text), want) << text;
}

TEST(DurationTest, EverythingElseIsRefused) {
  for (const char* text :
       {"", "15", "s", "1 s", "1x", ".s", "1s2", "-", "1e3s", "9999999h", "99999999999999999999s",
        "+-1s", "1S",
        // Its product with an hour, all digits taken together, wraps at 128 bits.
        "8893425791852383551.399332209445755h"}) {
    EXPECT_EQ(parse_signed_duration(text), std::nullopt) << text;
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

}  // namespace
}  // namespace davit
