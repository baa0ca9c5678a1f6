#include "lib/kube/schema/times.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

struct TimeCase {
  std::string_view text;
  std::string_view time;        // As a Time is written; empty: refused.
  std::string_view micro_time;  // As a MicroTime is written; empty: refused.
};

// clang-format off
constexpr TimeCase kTimes[] = {
    {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", ""},
    {"2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000Z"},
    {"2026-01-01T01:00:00.123456+01:00", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.123456Z"},
    {"2024-02-29T23:59:59-00:30", "2024-03-01T00:29:59Z", ""},
    {"2026-01-01T00:00:00.9Z", "2026-01-01T00:00:00Z", ""},
    {"1969-12-31T23:59:59.1234567891Z", "1969-12-31T23:59:59Z", ""},
    {"2026-02-29T00:00:00Z", "", ""},
    {"2026-13-01T00:00:00Z", "", ""},
    {"2026-01-01T24:00:00Z", "", ""},
    {"2026-01-01 00:00:00Z", "", ""},
    {"2026-01-01T00:00:00", "", ""},
    {"2026-01-01T00:00:00.Z", "", ""},
    {"2026-01-01T00:00:00Zx", "", ""},
    {"2026-01-01", "", ""},
    {"", "", ""},
};
// clang-format on

TEST(TimesTest, AreWrittenInUtc) {
  for (const TimeCase& each : kTimes) {
    const Result<WireTime> time = parse_wire_time(each.text);
    EXPECT_EQ(time ? time_text(*time) : "", each.time) << each.text;
    const Result<WireTime> micro = parse_wire_micro_time(each.text);
    EXPECT_EQ(micro ? micro_time_text(*micro) : "", each.micro_time) << each.text;
  }
}

TEST(TimesTest, RefusalsAreInTheWordsOfGo) {
  EXPECT_EQ(parse_wire_time("abc").error().message(),
            R"(parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006")");
  EXPECT_EQ(parse_wire_time("2026-13-01T00:00:00Z").error().message(),
            R"(parsing time "2026-13-01T00:00:00Z": month out of range)");
  EXPECT_EQ(parse_wire_micro_time("2026-01-01T00:00:00Z").error().message(),
            R"(parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": )"
            R"(cannot parse "Z" as ".000000")");
}

TEST(TimesTest, YearsThatDoNotFitFourDigitsAreCut) {
  EXPECT_EQ(time_text({INT64_MAX, 0}), "9999-12-31T23:59:59Z");
  EXPECT_EQ(time_text({INT64_MIN, 0}), "0000-01-01T00:00:00Z");
}

TEST(TimesTest, GosZeroTimeIsNone) {
  EXPECT_TRUE(parse_wire_time("0001-01-01T00:00:00Z")->is_zero());
  EXPECT_FALSE(parse_wire_time("0001-01-01T00:00:01Z")->is_zero());
}

}  // namespace
}  // namespace davit
