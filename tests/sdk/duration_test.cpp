#include <gtest/gtest.h>

#include <chrono>
#include <davit/kube/duration.hpp>

namespace davit {
namespace {

using namespace std::chrono_literals;

TEST(DurationTest, GoSyntaxIsRead) {
  EXPECT_EQ(parse_duration("0"), 0s);
  EXPECT_EQ(parse_duration("1h30m"), 90min);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("300ms20us7ns"), 300ms + 20us + 7ns);
  EXPECT_EQ(parse_duration("10\u00b5s"), 10us);
  EXPECT_EQ(parse_duration("2562047h47m16.854775807s"), Duration::max()) << "not one off";
}

TEST(DurationTest, InvalidDurationIsRefused) {
  for (const char* text :
       {"", "5", "s", "-1s", "+1s", "1 s", "1d", "3000000h", "nans", "infh", "1nanh"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

}  // namespace
}  // namespace davit
