#include <gtest/gtest.h>

#include <davit/kube/time.hpp>

namespace davit {
namespace {

using namespace std::chrono_literals;

WallTime wall_time(std::string_view text) { return parse_time(text).value(); }

TEST(TimeTest, Rfc3339IsReadWithFractionsAndOffsets) {
  EXPECT_EQ(wall_time("2024-05-01T12:00:00Z").time_since_epoch(), 1714564800s);
  EXPECT_EQ(wall_time("2024-05-01T14:00:00+02:00"), wall_time("2024-05-01T12:00:00Z"));
  EXPECT_EQ(wall_time("2024-05-01T09:30:00-02:30"), wall_time("2024-05-01T12:00:00Z"));
  EXPECT_EQ(wall_time("2024-05-01T12:00:00.25Z") - wall_time("2024-05-01T12:00:00Z"), 250ms);
  EXPECT_EQ(wall_time("2024-05-01T12:00:00.123456789123Z") - wall_time("2024-05-01T12:00:00Z"),
            123456789ns);
  EXPECT_EQ(wall_time("2024-02-29T00:00:00Z") + 24h, wall_time("2024-03-01T00:00:00Z"));
}

TEST(TimeTest, OtherTextIsNotATime) {
  for (const char* text :
       {"", "2024-05-01", "2024-05-01T12:00:00", "2024-13-01T12:00:00Z", "2023-02-29T12:00:00Z",
        "2024-05-01T24:00:00Z", "2024-05-01 12:00:00Z", "2024-05-01T12:00:00.Z",
        "2024-05-01T12:00:00Zx", "2024-05-01T12:00:00+0200", "24-05-01T12:00:00Z",
        "2024-05-01T12:60:00Z", "2024-05-01t12:00:00Z", "2024-05-01T12:00:00z",
        "2024-05-01T23:59:60Z", "2024-05-01T12:00:00+25:00", "2024-05-01T12:00:00+01:60"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(TimeTest, TimesBeyondTheClockBecomeItsLimits) {
  for (const char* text : {"0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1677-09-21T00:12:43Z",
                           "1900-01-01T00:30:00+01:00"}) {
    EXPECT_EQ(wall_time(text), kTimeMin) << text;
  }
  for (const char* text : {"2190-01-01T00:00:00Z", "2262-04-11T23:47:17Z", "9999-12-31T23:59:59Z",
                           "2189-12-31T23:59:59.5-01:00"}) {
    EXPECT_EQ(wall_time(text), kTimeMax) << text;
  }
  EXPECT_EQ(kTimeMax - wall_time("2189-12-31T23:59:59.75Z"), 250ms);
  EXPECT_GT(kTimeMax - kTimeMin, Duration::zero()) << "their difference does not overflow";
}

TEST(TimeTest, WritesWholeSecondsInUtc) {
  EXPECT_EQ(format_time(wall_time("2024-05-01T14:00:00.9+02:00")), "2024-05-01T12:00:00Z");
  EXPECT_EQ(format_time(WallTime()), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_time(WallTime() - 1ns), "1969-12-31T23:59:59Z");
}

TEST(TimeTest, MicroTimesAreRoundedDown) {
  EXPECT_EQ(format_micro_time(wall_time("2024-05-01T14:00:00.0000019+02:00")),
            "2024-05-01T12:00:00.000001Z");
  EXPECT_EQ(format_micro_time(WallTime()), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(format_micro_time(WallTime() - 1ns), "1969-12-31T23:59:59.999999Z");
}

struct TimeCase {
  std::string_view text;
  std::string_view time;        // As a Time is written; empty: refused.
  std::string_view micro_time;  // As a MicroTime is written; empty: refused.
};

// clang-format off
constexpr TimeCase kTimes[] = {
    {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", ""},
    {"2026-01-01T00:00:00,5Z", "2026-01-01T00:00:00Z", ""},
    {"2026-01-01T00:00:00+24:00", "2025-12-31T00:00:00Z", ""},
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

TEST(WireTimeTest, AreWrittenInUtc) {
  for (const TimeCase& each : kTimes) {
    const Result<WireTime> time = parse_wire_time(each.text);
    EXPECT_EQ(time ? time_text(*time) : "", each.time) << each.text;
    const Result<WireTime> micro = parse_wire_micro_time(each.text);
    EXPECT_EQ(micro ? micro_time_text(*micro) : "", each.micro_time) << each.text;
  }
}

TEST(WireTimeTest, RefusalsAreInTheWordsOfGo) {
  EXPECT_EQ(parse_wire_time("abc").error().message(),
            R"(parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006")");
  EXPECT_EQ(parse_wire_time("2026-13-01T00:00:00Z").error().message(),
            R"(parsing time "2026-13-01T00:00:00Z": month out of range)");
  EXPECT_EQ(parse_wire_micro_time("2026-01-01T00:00:00Z").error().message(),
            R"(parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": )"
            R"(cannot parse "Z" as ".000000")");
}

TEST(WireTimeTest, YearsThatDoNotFitFourDigitsAreCut) {
  EXPECT_EQ(time_text({INT64_MAX, 0}), "9999-12-31T23:59:59Z");
  EXPECT_EQ(time_text({INT64_MIN, 0}), "0000-01-01T00:00:00Z");
}

TEST(WireTimeTest, GosZeroTimeIsNone) {
  EXPECT_TRUE(parse_wire_time("0001-01-01T00:00:00Z")->is_zero());
  EXPECT_FALSE(parse_wire_time("0001-01-01T00:00:01Z")->is_zero());
}

}  // namespace
}  // namespace davit
