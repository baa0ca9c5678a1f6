#include "sandbox/kinds/age_text.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <davit/kube/time.hpp>

namespace davit::sandbox {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr hours kDay{24};
constexpr hours kYear = 365 * kDay;

struct DurationCase {
  Duration duration;
  std::string_view text;
};

// clang-format off
constexpr DurationCase kDurationCases[] = {
    {seconds(-2),                       "<invalid>"},
    {milliseconds(-1999),               "0s"},
    {seconds(0),                        "0s"},
    {milliseconds(1999),                "1s"},
    {seconds(119),                      "119s"},
    {seconds(120),                      "2m"},
    {seconds(121),                      "2m1s"},
    {seconds(599),                      "9m59s"},
    {minutes(10) + seconds(5),          "10m"},
    {minutes(179),                      "179m"},
    {hours(3),                          "3h"},
    {hours(7) + minutes(59),            "7h59m"},
    {hours(8) + minutes(30),            "8h"},
    {hours(47),                         "47h"},
    {hours(48),                         "2d"},
    {kDay * 7 + hours(23),              "7d23h"},
    {kDay * 8 + hours(1),               "8d"},
    {kYear * 2 - hours(1),              "729d"},
    {kYear * 2,                         "2y"},
    {kYear * 7 + kDay * 3,              "7y3d"},
    {kYear * 9 + kDay * 3,              "9y"},
};
// clang-format on

TEST(DurationTest, IsShownInTheUnitsThatMatter) {
  for (const DurationCase& each : kDurationCases) {
    EXPECT_EQ(human_duration(each.duration), each.text);
  }
}

TEST(DurationTest, AgeOfAnInvalidTimeIsUnknown) {
  const WallTime now = *parse_time("2026-01-01T00:10:00Z");

  EXPECT_EQ(human_age("2026-01-01T00:00:00Z", now), "10m");
  EXPECT_EQ(human_age("2026-01-01T00:09:59.500000Z", now), "0s");
  EXPECT_EQ(human_age("", now), "<unknown>");
  EXPECT_EQ(human_age("yesterday", now), "<unknown>");
}

}  // namespace
}  // namespace davit::sandbox
