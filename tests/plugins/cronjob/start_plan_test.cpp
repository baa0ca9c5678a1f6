/// The vectors V1 to V9 of docs/spec/cronjob.md, 19.
#include "plugins/cronjob/start_plan.hpp"

#include "plugins/cronjob/history_plan.hpp"
#include "tests/plugins/cronjob/fixture.hpp"

namespace davit::cronjob {
namespace {

constexpr const char* kTen = "2016-05-19T10:00:00Z";  // A Thursday.

Schedule schedule(std::string_view text) { return Schedule::parse(text, TimeZone()).value(); }

struct Vector {
  const char* schedule;
  WallTime earliest;
  WallTime now;
  const char* start;  // "": none.
  Missed missed;
  const char* wake_up;
};

void expect(const Vector& each) {
  const Result<RecentStart> recent = recent_start(schedule(each.schedule), each.earliest, each.now);
  ASSERT_TRUE(recent) << recent.error().message();
  EXPECT_EQ(recent->start ? TimeZone().text(*recent->start) : "", each.start) << each.schedule;
  EXPECT_EQ(recent->missed, each.missed) << each.schedule;
  const std::optional<Duration> delay =
      wake_up_delay(schedule(each.schedule), each.earliest, each.now);
  ASSERT_TRUE(delay);
  EXPECT_EQ(each.now + *delay, at(each.wake_up)) << each.schedule;
}

TEST(StartPlanTest, V1_NothingIsDueBeforeTheFirstStart) {
  expect({"0 * * * *", at(kTen), at(kTen) + 30s, "", Missed::kNone, "2016-05-19T11:00:00.1Z"});
}

TEST(StartPlanTest, V2_TheFirstStartIsDue) {
  expect({"0 * * * *", at(kTen), at(kTen) + 61min, "2016-05-19T11:00:00Z", Missed::kNone,
          "2016-05-19T12:00:00.1Z"});
}

TEST(StartPlanTest, V3_TheLatestOfSeveralStartsIsDue) {
  expect({"0 * * * *", at(kTen) + 10s, at(kTen) + 301min, "2016-05-19T15:00:00Z", Missed::kFew,
          "2016-05-19T16:00:00.1Z"});
}

TEST(StartPlanTest, V4_UnevenSchedulesFindTheirLatestStart) {
  expect({"30 6-16/4 * * 1-5", at(kTen) + 30min, at("2016-05-20T10:31:00Z"), "2016-05-20T10:30:00Z",
          Missed::kFew, "2016-05-20T14:30:00.1Z"});
}

TEST(StartPlanTest, V5_TheEstimateMayEndInNoStart) {
  expect({"30 10,11,12 * * 1-5", at(kTen) + 30min, at("2016-05-20T16:30:00Z"), "", Missed::kFew,
          "2016-05-23T10:30:00.1Z"});
}

TEST(StartPlanTest, V6_StartsOfSeveralWeeksAreMadeUpForOnce) {
  expect({"0 12 * * 4", at(kTen) + 2h, at("2016-06-07T11:30:00Z"), "2016-06-02T12:00:00Z",
          Missed::kFew, "2016-06-09T12:00:00.1Z"});
}

TEST(StartPlanTest, V7_IntervalsKeepTheirPhase) {
  expect({"@every 1h", at(kTen) + 1min, at(kTen) + 7 * 24h, "2016-05-26T09:01:00Z", Missed::kMany,
          "2016-05-26T10:01:00.1Z"});
}

TEST(StartPlanTest, V8_MoreThanAHundredMissedStartsAreMany) {
  expect({"* * * * *", at(kTen), at(kTen) + 100min + 5s, "2016-05-19T11:40:00Z", Missed::kFew,
          "2016-05-19T11:41:00.1Z"});
  expect({"* * * * *", at(kTen), at(kTen) + 101min + 5s, "2016-05-19T11:41:00Z", Missed::kMany,
          "2016-05-19T11:42:00.1Z"});
}

class StartPlanOfCronJobTest : public CronJobTest {
 protected:
  std::optional<Instant> unmet(std::string_view text, const std::string& deadline, WallTime now) {
    const auto cron_job =
        cluster_.view_of<CronJob>(R"({"spec":{"startingDeadlineSeconds":)" + deadline +
                                  R"(},"status":{"lastScheduleTime":"2016-05-19T10:00:00Z"}})");
    return unmet_start(schedule(text), cron_job, now)->start;
  }
  Job job(const std::string& name, const std::string& start, const std::string& condition) {
    return cluster_.view_of<Job>(R"({"metadata":{"name":")" + name + R"("},"status":{)" +
                                 (start.empty() ? "" : R"("startTime":")" + start + R"(",)") +
                                 R"("conditions":[{"type":")" + condition +
                                 R"(","status":"True"}]}})");
  }
};

TEST_F(StartPlanOfCronJobTest, V9_ADeadlineShorterThanTheIntervalLeavesNoStart) {
  const WallTime now = at(kTen) + 1h + 100ms;
  EXPECT_EQ(unmet("@every 1h", "10", now), std::nullopt);
  EXPECT_EQ(unmet("@every 1h", "3600", now), at(kTen) + 1h);
}

TEST_F(StartPlanOfCronJobTest, AbsurdDeadlinesAreNone) {
  EXPECT_EQ(unmet("@every 1h", "9223372036854775807", at(kTen) + 1h), at(kTen) + 1h);
  EXPECT_EQ(unmet("0 * * * *", "-9223372036854775808", at(kTen) + 1h), std::nullopt);
}

TEST(StartPlanTest, AScheduleWithoutStartsIsAnError) {
  for (const char* text : {"0 0 31 2 *", "59 23 31 2 *", ", * * * *"}) {
    const Result<RecentStart> recent = recent_start(schedule(text), at(kTen), at(kTen) + 1h);
    ASSERT_FALSE(recent) << text;
    EXPECT_EQ(recent.error().message(),
              "time difference between two schedules is less than 1 second");
    EXPECT_EQ(wake_up_delay(schedule(text), at(kTen), at(kTen)), std::nullopt);
  }
}

TEST(StartPlanTest, AFarStartIsAwaitedWithinTheClock) {
  const std::optional<Duration> delay =
      wake_up_delay(schedule("@every 2500000h"), at(kTen), at(kTen) + 1h);
  ASSERT_TRUE(delay);
  EXPECT_EQ(*delay, std::chrono::years(100));
}

TEST_F(StartPlanOfCronJobTest, SurplusJobsAreTheOldestAndThoseThatNeverStartedComeLast) {
  const std::vector<Job> all = {job("d", "", "Complete"),
                                job("c", "2016-05-19T10:00:00Z", "Complete"),
                                job("x", "2016-05-19T07:00:00Z", "Failed"),
                                job("b", "2016-05-19T09:00:00Z", "Complete"),
                                job("a", "2016-05-19T10:00:00Z", "Complete"),
                                job("y", "2016-05-19T06:00:00Z", "Suspended")};
  const auto names = [&all](const char* condition, std::size_t limit) {
    std::vector<std::string> out;
    for (const Job& each : surplus_jobs(all, condition, limit)) out.emplace_back(each.name());
    return out;
  };
  EXPECT_THAT(names("Complete", 0), ElementsAre("b", "a", "c", "d"));
  EXPECT_THAT(names("Complete", 2), ElementsAre("b", "a"));
  EXPECT_THAT(names("Complete", 4), IsEmpty());
  EXPECT_THAT(names("Failed", 0), ElementsAre("x"));
}

}  // namespace
}  // namespace davit::cronjob
