/// Time zones: rows CJ38 to CJ45.
#include <utility>

#include "tests/plugins/cronjob/fixture.hpp"

namespace davit::cronjob {
namespace {

class CronJobZonesTest : public CronJobTest {
 protected:
  /// A CronJob that was created at `time`, which is also the present.
  void add_at(std::string_view time, std::string_view schedule, std::string_view zone) {
    cluster_.set_wall_clock(at(time));
    start();
    add(schedule, R"({"metadata":{"creationTimestamp":")" + std::string(time) +
                      R"("},"spec":{"timeZone":")" + std::string(zone) + R"("}})");
  }
  /// The annotation of each Job, in the order of the starts.
  [[nodiscard]] std::vector<std::string> scheduled() {
    std::vector<std::string> times;
    for (const std::string& each : jobs()) {
      times.push_back(job(each).text_at(
          {"metadata", "annotations", "batch.kubernetes.io/cronjob-scheduled-timestamp"}));
    }
    return times;
  }
};

TEST_F(CronJobZonesTest, CJ38_AScheduleIsInItsTimeZone) {
  add_at("2025-01-15T12:00:00Z", "0 9 * * *", "America/New_York");
  run_to("2025-01-15T14:00:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
  run_to("2025-01-15T14:00:00.1Z");
  EXPECT_THAT(scheduled(), ElementsAre("2025-01-15T09:00:00-05:00"));
}

TEST_F(CronJobZonesTest, CJ39_ATimeThatIsLeftOutStartsNothing) {
  add_at("2025-03-09T00:00:00Z", "30 2 * * *", "America/New_York");
  run_to("2025-03-10T06:30:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
  run_to("2025-03-10T06:30:00.1Z");
  EXPECT_THAT(scheduled(), ElementsAre("2025-03-10T02:30:00-04:00"));
}

TEST_F(CronJobZonesTest, CJ40_ATimeThatComesTwiceStartsTwice) {
  add_at("2025-11-02T00:00:00Z", "30 1 * * *", "America/New_York");
  run_to("2025-11-02T05:30:00.1Z");
  EXPECT_THAT(scheduled(), ElementsAre("2025-11-02T01:30:00-04:00"));
  run_to("2025-11-02T12:00:00Z");
  EXPECT_THAT(scheduled(), ElementsAre("2025-11-02T01:30:00-04:00", "2025-11-02T01:30:00-05:00"));
  EXPECT_THAT(jobs(), ElementsAre("c-29367690", "c-29367750"));
}

TEST_F(CronJobZonesTest, CJ41_AnHourlyScheduleStartsOncePerRealHour) {
  add_at("2025-11-02T04:30:00Z", "0 * * * *", "America/New_York");
  run_to("2025-11-02T08:30:00Z");
  EXPECT_THAT(scheduled(), ElementsAre("2025-11-02T01:00:00-04:00", "2025-11-02T01:00:00-05:00",
                                       "2025-11-02T02:00:00-05:00", "2025-11-02T03:00:00-05:00"));
}

TEST_F(CronJobZonesTest, CJ42_ADayWithoutMidnightStartsNothing) {
  add_at("2018-11-03T12:00:00Z", "0 0 * * *", "America/Sao_Paulo");
  run_to("2018-11-05T12:00:00Z");
  EXPECT_THAT(scheduled(), ElementsAre("2018-11-05T00:00:00-02:00"));
}

TEST_F(CronJobZonesTest, CJ43_AnUnknownZoneIsReportedOnceAndStartsNothing) {
  add_at("2025-01-15T12:00:00Z", "0 9 * * *", "X/Y");
  run_to("2025-01-15T22:00:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
  EXPECT_THAT(events(), ElementsAre("Warning UnknownTimeZone invalid timeZone: \"X/Y\": unknown "
                                    "time zone X/Y"));
  EXPECT_EQ(cluster_.syncs().size(), 1);
  EXPECT_TRUE(cluster_.syncs().front().ok());
}

TEST_F(CronJobZonesTest, AnyFileOfTheDatabaseIsAZone) {
  const std::pair<const char*, const char*> zones[] = {
      {"posix/Europe/Berlin", "Europe/Berlin"},
      {"right/Europe/Berlin", "Europe/Berlin"},
      {"posixrules", "America/New_York"},
      {"Factory", "UTC"},
      {"GB-Eire", "Europe/London"},
  };
  const Instant summer(std::chrono::sys_days(std::chrono::year(2026) / 7 / 1));
  for (const auto& [name, same] : zones) {
    const Result<TimeZone> zone = TimeZone::load(name, TimeZone());
    ASSERT_TRUE(zone) << zone.error().message();
    EXPECT_EQ(zone->text(summer), TimeZone::load(same, TimeZone())->text(summer)) << name;
  }
  EXPECT_EQ(TimeZone::load("posix/X", TimeZone()).error().message(), "unknown time zone posix/X");
}

TEST_F(CronJobZonesTest, CJ44_AZoneInTheScheduleWinsAndIsNotSupported) {
  add_at("2025-01-15T08:00:00Z", "TZ=UTC 0 9 * * *", "America/New_York");
  run_to("2025-01-15T09:00:00.1Z");
  EXPECT_THAT(scheduled(), ElementsAre("2025-01-15T04:00:00-05:00"));
  const std::string warning =
      "Warning UnsupportedSchedule CRON_TZ or TZ used in schedule \"TZ=UTC 0 9 * * *\" is not "
      "officially supported, see "
      "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
  const std::vector<std::string> all = events();
  EXPECT_EQ(static_cast<std::size_t>(std::count(all.begin(), all.end(), warning)),
            cluster_.syncs().size());
}

TEST_F(CronJobZonesTest, CJ45_WithoutATimeZoneTheProcessesCounts) {
  cluster_.set_wall_clock(at("2025-07-15T06:00:00Z"));
  start(TimeZone::load("Europe/Berlin", TimeZone()).value());
  add("0 9 * * *", R"({"metadata":{"creationTimestamp":"2025-07-15T06:00:00Z"}})");
  run_to("2025-07-15T07:00:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
  run_to("2025-07-15T07:00:00.1Z");
  EXPECT_THAT(scheduled(), ElementsAre("2025-07-15T07:00:00Z"));
}

TEST_F(CronJobZonesTest, ANewTimeZoneWakesItAtItsNextStart) {
  add_at("2025-01-15T12:00:00Z", "0 9 * * *", "America/New_York");
  edit(R"({"spec":{"timeZone":"America/Chicago"}})");
  run_to("2025-01-15T15:00:00.1Z");
  EXPECT_THAT(scheduled(), ElementsAre("2025-01-15T09:00:00-06:00"));
}

}  // namespace
}  // namespace davit::cronjob
