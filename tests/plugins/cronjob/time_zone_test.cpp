#include "plugins/cronjob/time_zone.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/plugins/cronjob/times.hpp"

namespace davit::schedule {
namespace {

TEST(TimeZoneTest, LoadsZonesByTheirExactName) {
  const Instant winter = at("2025-01-15T12:00:00Z");
  EXPECT_EQ(TimeZone::load("Europe/Berlin", TimeZone())->text(winter), "2025-01-15T13:00:00+01:00");
  EXPECT_EQ(TimeZone::load("UTC", zone("Europe/Berlin"))->text(winter), "2025-01-15T12:00:00Z");
  EXPECT_EQ(TimeZone::load("", zone("Europe/Berlin"))->text(winter), "2025-01-15T12:00:00Z");
  EXPECT_EQ(TimeZone::load("Local", zone("Europe/Berlin"))->text(winter),
            "2025-01-15T13:00:00+01:00");
}

TEST(TimeZoneTest, NamesWhatItDoesNotKnow) {
  struct Case {
    const char* name;
    const char* error;
  };
  constexpr Case kCases[] = {
      {"X/Y", "unknown time zone X/Y"},
      {"europe/berlin", "unknown time zone europe/berlin"},
      {"Europe/../Europe/Berlin", "time: invalid location name"},
      {"/Europe/Berlin", "time: invalid location name"},
      {"\\Europe", "time: invalid location name"},
  };
  for (const Case& each : kCases) {
    const Result<TimeZone> loaded = TimeZone::load(each.name, TimeZone());
    ASSERT_FALSE(loaded) << each.name;
    EXPECT_EQ(loaded.error().message(), each.error);
  }
}

TEST(TimeZoneTest, TheProcessesZoneIsThatOfTheVariable) {
  const Instant summer = at("2025-07-15T12:00:00Z");
  EXPECT_EQ(TimeZone::of_process("Europe/Berlin").text(summer), "2025-07-15T14:00:00+02:00");
  EXPECT_EQ(TimeZone::of_process(":America/New_York").text(summer), "2025-07-15T08:00:00-04:00");
  EXPECT_EQ(TimeZone::of_process("").text(summer), "2025-07-15T12:00:00Z");
  EXPECT_EQ(TimeZone::of_process("Nowhere/At_All").text(summer), "2025-07-15T12:00:00Z");
}

TEST(TimeZoneTest, WritesOffsetsInHoursAndMinutes) {
  EXPECT_EQ(zone("Asia/Kathmandu").text(at("2025-01-01T00:00:00Z")), "2025-01-01T05:45:00+05:45");
  EXPECT_EQ(zone("America/St_Johns").text(at("2025-01-01T00:00:00Z")), "2024-12-31T20:30:00-03:30");
  EXPECT_EQ(zone("Europe/London").text(at("2025-01-01T00:00:00Z")), "2025-01-01T00:00:00Z");
}

TEST(TimeZoneTest, ALocalTimeThatDoesNotExistOrExistsTwiceBecomesGosChoice) {
  struct Case {
    const char* zone;
    const char* local;  // Without a zone: as if it were UTC.
    const char* instant;
  };
  constexpr Case kCases[] = {
      {"America/New_York", "2025-06-01T09:00:00Z", "2025-06-01T09:00:00-04:00"},
      {"America/New_York", "2025-03-09T02:30:00Z", "2025-03-09T01:30:00-05:00"},  // Left out.
      {"America/New_York", "2025-11-02T01:30:00Z", "2025-11-02T01:30:00-04:00"},  // Twice.
      {"Europe/Berlin", "2025-03-30T02:30:00Z", "2025-03-30T03:30:00+02:00"},
      {"America/Sao_Paulo", "2018-11-04T00:00:00Z", "2018-11-03T23:00:00-03:00"},
  };
  for (const Case& each : kCases) {
    const TimeZone in = zone(each.zone);
    const Instant instant = in.instant(LocalTime(at(each.local).time_since_epoch()));
    EXPECT_EQ(in.text(instant), each.instant) << each.zone << " " << each.local;
  }
}

TEST(TimeZoneTest, RulesReachAFewYearsAhead) {
  EXPECT_EQ(zone("America/New_York").text(at("2036-07-01T12:00:00Z")), "2036-07-01T08:00:00-04:00");
}

}  // namespace
}  // namespace davit::schedule
