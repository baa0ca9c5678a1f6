/// The vectors of docs/spec/cronjob.md, 19, and what else a schedule may be.
#include "plugins/cronjob/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/plugins/cronjob/times.hpp"

namespace davit::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::StartsWith;

/// The first `count` starts after a time.
std::vector<std::string> starts(const std::string& text, std::string_view zone_name,
                                const std::string& after, std::size_t count) {
  const TimeZone in = zone(zone_name);
  const Result<Schedule> schedule = Schedule::parse(text, in);
  EXPECT_TRUE(schedule) << text << ": " << schedule.error().message();
  std::vector<std::string> out;
  std::optional<Instant> start = at(after);
  while (out.size() < count) {
    start = schedule->next(*start);
    out.push_back(start ? in.text(*start) : "none");
    if (!start) break;
  }
  return out;
}

std::string error_of(const std::string& text) {
  return Schedule::parse(text, TimeZone()).error().message();
}

struct Vector {
  const char* schedule;
  const char* zone;
  const char* after;
  std::vector<std::string> results;
};

void expect_starts(const std::vector<Vector>& vectors) {
  for (const Vector& each : vectors) {
    EXPECT_THAT(starts(each.schedule, each.zone, each.after, each.results.size()),
                ElementsAreArray(each.results))
        << each.schedule << " " << each.zone;
  }
}

TEST(ScheduleTest, StartsFollowTheVectorsOfTheSpecification) {
  expect_starts({
      {"30 2 * * *",
       "America/New_York",
       "2025-03-08T12:00:00-05:00",
       {"2025-03-10T02:30:00-04:00", "2025-03-11T02:30:00-04:00"}},
      {"0 2 * * *", "America/New_York", "2025-03-08T12:00:00-05:00", {"2025-03-10T02:00:00-04:00"}},
      {"30 1 * * *",
       "America/New_York",
       "2025-11-01T12:00:00-04:00",
       {"2025-11-02T01:30:00-04:00", "2025-11-02T01:30:00-05:00", "2025-11-03T01:30:00-05:00"}},
      {"0 2 * * *",
       "Europe/Berlin",
       "2023-10-28T12:00:00+02:00",
       {"2023-10-29T02:00:00+02:00", "2023-10-29T02:00:00+01:00", "2023-10-30T02:00:00+01:00"}},
      {"30 2 * * *", "Europe/Berlin", "2025-03-29T12:00:00+01:00", {"2025-03-31T02:30:00+02:00"}},
      {"0 * * * *",
       "America/New_York",
       "2025-03-09T00:30:00-05:00",
       {"2025-03-09T01:00:00-05:00", "2025-03-09T03:00:00-04:00", "2025-03-09T04:00:00-04:00"}},
      {"0 * * * *",
       "America/New_York",
       "2025-11-02T00:30:00-04:00",
       {"2025-11-02T01:00:00-04:00", "2025-11-02T01:00:00-05:00", "2025-11-02T02:00:00-05:00"}},
      {"0 0 * * *",
       "America/Sao_Paulo",
       "2018-11-03T12:00:00-03:00",
       {"2018-11-05T00:00:00-02:00"}},
      {"0 0 4 11 *",
       "America/Sao_Paulo",
       "2018-11-01T12:00:00-03:00",
       {"2019-11-04T00:00:00-03:00"}},
      {"0 1 4 11 *",
       "America/Sao_Paulo",
       "2018-11-01T12:00:00-03:00",
       {"2018-11-04T01:00:00-02:00"}},
      {"15 2 * * *",
       "Australia/Lord_Howe",
       "2025-10-04T12:00:00+10:30",
       {"2025-10-06T02:15:00+11:00"}},
  });
}

TEST(ScheduleTest, StartsInUtcFollowTheVectorsOfTheSpecification) {
  expect_starts({
      {"0 0 */10 * 1",
       "UTC",
       "2025-06-01T00:00:00Z",
       {"2025-06-02T00:00:00Z", "2025-06-09T00:00:00Z", "2025-06-11T00:00:00Z",
        "2025-06-16T00:00:00Z", "2025-06-21T00:00:00Z"}},
      {"5/20 * * * *",
       "UTC",
       "2025-06-01T00:00:00Z",
       {"2025-06-01T00:05:00Z", "2025-06-01T00:25:00Z", "2025-06-01T00:45:00Z",
        "2025-06-01T01:05:00Z"}},
      {"0 0 29 2 *",
       "UTC",
       "2025-03-01T00:00:00Z",
       {"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}},
      {"0 0 31 * *",
       "UTC",
       "2025-01-31T00:00:00Z",
       {"2025-03-31T00:00:00Z", "2025-05-31T00:00:00Z", "2025-07-31T00:00:00Z"}},
      {"59 23 31 2 *", "UTC", "2025-01-31T00:00:00Z", {"none"}},
  });
}

TEST(ScheduleTest, CJ46_OneOfTwoDaysIsEnough) {
  EXPECT_THAT(starts("0 0 13 * 5", "UTC", "2025-06-01T00:00:00Z", 4),
              ElementsAre("2025-06-06T00:00:00Z", "2025-06-13T00:00:00Z", "2025-06-20T00:00:00Z",
                          "2025-06-27T00:00:00Z"));
}

TEST(ScheduleTest, CJ47_AStepOfOneIsAStarAndOneOfTwoIsNot) {
  EXPECT_THAT(starts("0 0 */1 * 1", "UTC", "2025-06-01T00:00:00Z", 3),
              ElementsAre("2025-06-02T00:00:00Z", "2025-06-09T00:00:00Z", "2025-06-16T00:00:00Z"));
  EXPECT_THAT(starts("0 0 */2 * 1", "UTC", "2025-06-01T00:00:00Z", 4),
              ElementsAre("2025-06-02T00:00:00Z", "2025-06-03T00:00:00Z", "2025-06-05T00:00:00Z",
                          "2025-06-07T00:00:00Z"));
}

TEST(ScheduleTest, CJ48_DescriptorsAreShortForFields) {
  struct Case {
    const char* descriptor;
    const char* fields;
  };
  constexpr Case kCases[] = {{"@yearly", "0 0 1 1 *"},  {"@annually", "0 0 1 1 *"},
                             {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
                             {"@daily", "0 0 * * *"},   {"@midnight", "0 0 * * *"},
                             {"@hourly", "0 * * * *"}};
  for (const Case& each : kCases) {
    EXPECT_EQ(starts(each.descriptor, "UTC", "2025-06-15T10:30:00Z", 3),
              starts(each.fields, "UTC", "2025-06-15T10:30:00Z", 3))
        << each.descriptor;
  }
}

TEST(ScheduleTest, AnIntervalCountsFromTheTimeBefore) {
  struct Case {
    const char* schedule;
    const char* next;
  };
  constexpr Case kCases[] = {
      {"@every 1h30m", "2025-06-01T11:30:07Z"}, {"@every 1.5h", "2025-06-01T11:30:07Z"},
      {"@every 90s", "2025-06-01T10:01:37Z"},   {"@every 1500ms", "2025-06-01T10:00:08Z"},
      {"@every 10ms", "2025-06-01T10:00:08Z"},  {"@every -5m", "2025-06-01T10:00:08Z"},
      {"@every +5m", "2025-06-01T10:05:07Z"},   {"@every 0", "2025-06-01T10:00:08Z"}};
  for (const Case& each : kCases) {
    EXPECT_EQ(starts(each.schedule, "UTC", "2025-06-01T10:00:07Z", 1).front(), each.next)
        << each.schedule;
  }
}

TEST(ScheduleTest, ALongIntervalReachesBeyondTheClock) {
  const Result<Schedule> schedule = Schedule::parse("@every 2500000h", TimeZone());
  ASSERT_TRUE(schedule);
  EXPECT_EQ(TimeZone().text(*schedule->next(at("2180-01-01T00:00:00Z"))), "2465-03-13T16:00:00Z");
}

TEST(ScheduleTest, AZoneInTheTextReplacesTheProcesses) {
  const std::string after = "2025-07-01T00:00:00Z";
  EXPECT_EQ(starts("TZ=America/New_York 0 9 * * *", "UTC", after, 1).front(),
            "2025-07-01T13:00:00Z");
  EXPECT_EQ(starts("CRON_TZ=UTC   @daily \t", "Europe/Berlin", after, 1).front(),
            "2025-07-02T02:00:00+02:00");
  EXPECT_EQ(starts("TZ= 0 9 * * *", "Europe/Berlin", after, 1).front(),
            "2025-07-01T11:00:00+02:00");
  EXPECT_EQ(starts("TZ=Local 0 9 * * *", "Europe/Berlin", after, 1).front(),
            "2025-07-01T09:00:00+02:00");
}

TEST(ScheduleTest, CJ50_MistakesHaveRobfigsText) {
  EXPECT_EQ(error_of(""), "empty spec string");
  EXPECT_EQ(error_of("@reboot"), "unrecognized descriptor: @reboot");
  EXPECT_EQ(error_of("@Daily"), "unrecognized descriptor: @Daily");
  EXPECT_EQ(error_of("@daily "), "unrecognized descriptor: @daily ");
  EXPECT_EQ(error_of("@every x"),
            "failed to parse duration @every x: time: invalid duration \"x\"");
  EXPECT_EQ(error_of("TZ=X/Y 0 0 * * *"), "provided bad location X/Y: unknown time zone X/Y");
  EXPECT_THAT(error_of("TZ=0"), StartsWith("invalid schedule format: "));
  EXPECT_EQ(error_of("TZ=UTC "), "expected exactly 5 fields, found 0: []");
  EXPECT_EQ(error_of("60 * * * *"), "end of range (60) above maximum (59): 60");
}

TEST(ScheduleTest, ASearchEndsInAZoneThatLeavesOutADay) {
  EXPECT_THAT(starts("0 0 31 12 *", "Pacific/Apia", "2011-12-28T12:00:00-10:00", 1),
              ElementsAreArray({"2011-12-31T00:00:00+14:00"}));
}

TEST(ScheduleTest, FieldsThatNothingFitsEndTheSearchAtOnce) {
  for (const char* each : {", * * * *", "* , * * *", "0 0 30 2 *", "0 0 31 4,6,9,11 *"}) {
    EXPECT_EQ(starts(each, "America/New_York", "2025-06-01T00:00:00Z", 1).front(), "none") << each;
  }
}

}  // namespace
}  // namespace davit::schedule
