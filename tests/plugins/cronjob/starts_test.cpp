/// When Jobs start: rows CJ01 to CJ05, CJ08, CJ18 to CJ36 and CJ51.
#include "tests/plugins/cronjob/fixture.hpp"

namespace davit::cronjob {
namespace {

TEST_F(CronJobTest, CJ01_AJobStartsAtTheTimeAndNotBefore) {
  start();
  add(kHourly);
  run_to("2016-05-19T09:59:59.999Z");
  EXPECT_THAT(jobs(), IsEmpty());
  run_to("2016-05-19T10:00:00.1Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
}

TEST_F(CronJobTest, CJ02_TheJobIsMadeOfTheTemplate) {
  start();
  add(kHourly, R"({"spec":{"jobTemplate":{
      "metadata":{"name":"ignored","labels":{"a":"b"},"finalizers":["x/y"],
                  "annotations":{"x":"y","batch.kubernetes.io/cronjob-scheduled-timestamp":"z"}},
      "spec":{"backoffLimit":3}}}})");
  run_to("2016-05-19T10:00:00.1Z");
  const Json created = job("c-24394200");
  EXPECT_EQ(part(created, {"metadata", "labels"}).canonical(), R"({"a":"b"})");
  EXPECT_EQ(
      part(created, {"metadata", "annotations"}).canonical(),
      R"({"batch.kubernetes.io/cronjob-scheduled-timestamp":"2016-05-19T10:00:00Z","x":"y"})");
  EXPECT_TRUE(part(created, {"metadata", "finalizers"}).is_null());
  EXPECT_EQ(part(created, {"metadata", "ownerReferences"}).canonical(),
            R"([{"apiVersion":"batch/v1","blockOwnerDeletion":true,"controller":true,)"
            R"("kind":"CronJob","name":"c","uid":"cron-uid"}])");
  EXPECT_EQ(created.text_at({"spec", "backoffLimit"}), "3");
}

TEST_F(CronJobTest, CJ03_TheStatusHasTheJobAndTheTime) {
  start();
  add(kHourly);
  run_to("2016-05-19T10:00:00.1Z");
  const Json created = job("c-24394200");
  const Json listed = part(cron_job(), {"status", "active"});
  EXPECT_EQ(listed.items().size(), 1);
  const Json& reference = listed.items().front();
  EXPECT_EQ(reference.text_at({"apiVersion"}), "batch/v1");
  EXPECT_EQ(reference.text_at({"kind"}), "Job");
  EXPECT_EQ(reference.text_at({"namespace"}), "default");
  EXPECT_EQ(reference.text_at({"name"}), "c-24394200");
  EXPECT_EQ(reference.text_at({"uid"}), created.text_at({"metadata", "uid"}));
  EXPECT_EQ(reference.text_at({"resourceVersion"}),
            created.text_at({"metadata", "resourceVersion"}));
  EXPECT_EQ(last_schedule(), "2016-05-19T10:00:00Z");
  EXPECT_EQ(count(Verb::kPatch, "cronjobs", "status"), 1);
}

TEST_F(CronJobTest, CJ04_AnEventTellsOfTheStart) {
  start();
  add(kHourly);
  run_to("2016-05-19T10:00:00.1Z");
  EXPECT_THAT(events(), ElementsAre("Normal SuccessfulCreate Created job c-24394200"));
  EXPECT_EQ(cluster_.events().front().api_version, "batch/v1");
  EXPECT_EQ(cluster_.events().front().kind, "CronJob");
  EXPECT_EQ(cluster_.events().front().uid, "cron-uid");
}

TEST_F(CronJobTest, CJ05_BeforeTheTimeNothingIsWritten) {
  start();
  add(kHourly);
  run_to("2016-05-19T09:59:00Z");
  EXPECT_THAT(cluster_.requests(), IsEmpty());
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(CronJobTest, CJ08_NamesCountMinutes) {
  start();
  add(kHourly);
  run_to("2016-05-19T12:00:01Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200", "c-24394260", "c-24394320"));
}

TEST_F(CronJobTest, CJ18_OfSeveralMissedStartsTheLatestIsMadeUpFor) {
  add(kHourly, R"({"status":{"lastScheduleTime":"2016-05-19T09:00:00Z"}})");
  run_to("2016-05-19T14:30:00Z");
  start();
  EXPECT_THAT(jobs(), ElementsAre("c-24394440"));
  EXPECT_EQ(last_schedule(), "2016-05-19T14:00:00Z");
}

TEST_F(CronJobTest, CJ19_AStartPastItsDeadlineIsDropped) {
  add(kHourly, R"({"spec":{"startingDeadlineSeconds":600},
                   "status":{"lastScheduleTime":"2016-05-19T09:00:00Z"}})");
  run_to("2016-05-19T14:30:00Z");
  start();
  EXPECT_THAT(jobs(), IsEmpty());
  EXPECT_THAT(events(), IsEmpty());
  run_to("2016-05-19T15:00:00.1Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394500"));
}

TEST_F(CronJobTest, CJ20_AStartWithinItsDeadlineIsMadeUpFor) {
  add(kHourly, R"({"spec":{"startingDeadlineSeconds":7200},
                   "status":{"lastScheduleTime":"2016-05-19T09:00:00Z"}})");
  run_to("2016-05-19T14:30:00Z");
  start();
  EXPECT_THAT(jobs(), ElementsAre("c-24394440"));
}

TEST_F(CronJobTest, CJ21_AHundredMissedStartsAreNoReasonToWarn) {
  add(kEveryMinute, R"({"status":{"lastScheduleTime":"2016-05-19T10:00:00Z"}})");
  run_to("2016-05-19T11:40:05Z");
  start();
  EXPECT_EQ(last_schedule(), "2016-05-19T11:40:00Z");
  EXPECT_THAT(events(), ElementsAre(StartsWith("Normal SuccessfulCreate ")));
}

TEST_F(CronJobTest, CJ22_MoreThanAHundredAre) {
  add(kEveryMinute, R"({"status":{"lastScheduleTime":"2016-05-19T10:00:00Z"}})");
  run_to("2016-05-19T11:41:05Z");
  start();
  EXPECT_EQ(last_schedule(), "2016-05-19T11:41:00Z");
  EXPECT_THAT(events(),
              ElementsAre("Warning TooManyMissedTimes too many missed start times. Set or decrease "
                          ".spec.startingDeadlineSeconds or check clock skew",
                          "Normal SuccessfulCreate Created job c-24394301"));
}

TEST_F(CronJobTest, CJ23_WithADeadlineFewCount) {
  add(kEveryMinute, R"({"spec":{"startingDeadlineSeconds":200},
                        "status":{"lastScheduleTime":"2016-05-19T10:00:00Z"}})");
  run_to("2016-05-19T11:41:05Z");
  start();
  EXPECT_EQ(last_schedule(), "2016-05-19T11:41:00Z");
  EXPECT_THAT(events(), ElementsAre(StartsWith("Normal SuccessfulCreate ")));
}

TEST_F(CronJobTest, CJ24_ADeadlineOfZeroStartsNothing) {
  start();
  add(kHourly, R"({"spec":{"startingDeadlineSeconds":0}})");
  run_to("2016-05-19T13:30:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
}

TEST_F(CronJobTest, CJ25_ADeadlineShorterThanAnIntervalStartsNothing) {
  start();
  add("@every 1h", R"({"spec":{"startingDeadlineSeconds":10}})");
  run_to("2016-05-19T15:00:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
}

TEST_F(CronJobTest, CJ26_AnIntervalCountsFromTheCreation) {
  start();
  add("@every 1h", R"({"metadata":{"creationTimestamp":"2016-05-19T08:59:00Z"}})");
  run_to("2016-05-19T09:59:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
  run_to("2016-05-19T09:59:00.1Z");
  EXPECT_EQ(last_schedule(), "2016-05-19T09:59:00Z");
}

TEST_F(CronJobTest, CJ27_AnIntervalKeepsItsPhaseOverAWeek) {
  add("@every 1h", R"({"status":{"lastScheduleTime":"2016-05-19T10:01:00Z"}})");
  run_to("2016-05-26T10:00:00Z");
  start();
  EXPECT_EQ(last_schedule(), "2016-05-26T09:01:00Z");
  EXPECT_THAT(events(), Contains(StartsWith("Warning TooManyMissedTimes ")));
}

TEST_F(CronJobTest, CJ28_AnUnevenScheduleMayMissAStart) {
  add("30 10,11,12 * * 1-5", R"({"status":{"lastScheduleTime":"2016-05-19T10:30:00Z"}})");
  run_to("2016-05-20T16:30:00Z");
  start();
  EXPECT_THAT(jobs(), IsEmpty());
  run_to("2016-05-23T10:30:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
  run_to("2016-05-23T10:30:00.1Z");
  EXPECT_EQ(last_schedule(), "2016-05-23T10:30:00Z");
}

TEST_F(CronJobTest, CJ29_AStartWithoutAControllerIsMadeUpFor) {
  add(kHourly);
  run_to("2016-05-19T10:20:00Z");
  start();
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
}

TEST_F(CronJobTest, CJ30_ASuspendedCronJobStartsNothingAndStillFollowsItsJobs) {
  start();
  add(kHourly, R"({"spec":{"successfulJobsHistoryLimit":0}})");
  run_to("2016-05-19T10:00:00.1Z");
  edit(R"({"spec":{"suspend":true,"failedJobsHistoryLimit":0}})");
  run_to("2016-05-19T11:30:00Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
  finish("c-24394200");
  EXPECT_THAT(active(), IsEmpty());
  EXPECT_EQ(last_successful(), "2016-05-19T11:30:00Z");
  EXPECT_EQ(count(Verb::kDelete, "jobs"), 1);
}

TEST_F(CronJobTest, CJ31_TheEndOfASuspensionMakesUpForAStart) {
  start();
  add(kHourly, R"({"spec":{"suspend":true}})");
  run_to("2016-05-19T10:20:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
  edit(R"({"spec":{"suspend":false}})");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
}

TEST_F(CronJobTest, CJ32_UnlessItsDeadlineHasPassed) {
  start();
  add(kHourly, R"({"spec":{"suspend":true,"startingDeadlineSeconds":60}})");
  run_to("2016-05-19T10:20:00Z");
  edit(R"({"spec":{"suspend":false}})");
  run_to("2016-05-19T11:00:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
  run_to("2016-05-19T11:00:00.1Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394260"));
}

TEST_F(CronJobTest, CJ33_ANewScheduleWakesItAtItsNextStart) {
  add("30 * * * *", R"({"metadata":{"creationTimestamp":"2016-05-19T09:45:00Z"},
                        "status":{"lastScheduleTime":"2016-05-19T09:59:00Z"}})");
  run_to("2016-05-19T09:59:59Z");
  start();
  cluster_.clear_records();
  edit(R"({"spec":{"schedule":"*/1 * * * *"}})");
  EXPECT_THAT(cluster_.syncs(), IsEmpty());
  run_to("2016-05-19T10:00:00.099Z");
  EXPECT_THAT(jobs(), IsEmpty());
  run_to("2016-05-19T10:00:00.1Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
}

TEST_F(CronJobTest, CJ34_ANewIntervalCountsFromTheLastStart) {
  add("@every 1m", R"({"status":{"lastScheduleTime":"2016-05-19T09:59:00Z"}})");
  run_to("2016-05-19T09:59:59Z");
  start();
  edit(R"({"spec":{"schedule":"@every 3m"}})");
  run_to("2016-05-19T10:02:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
  run_to("2016-05-19T10:02:00.1Z");
  EXPECT_EQ(last_schedule(), "2016-05-19T10:02:00Z");
}

TEST_F(CronJobTest, ANewScheduleThatCannotBeReadIsReportedAndNothingIsQueued) {
  start();
  add(kHourly);
  cluster_.clear_records();
  edit(R"({"spec":{"schedule":"60 * * * *"}})");
  EXPECT_THAT(cluster_.syncs(), IsEmpty());
  EXPECT_THAT(events(), ElementsAre("Warning UnParseableCronJobSchedule unparseable schedule for "
                                    "cronjob: 60 * * * *"));
}

TEST_F(CronJobTest, CJ35_ANewTemplateCountsForJobsToCome) {
  start();
  add(kHourly);
  run_to("2016-05-19T10:00:00.1Z");
  edit(R"({"spec":{"jobTemplate":{"spec":{"backoffLimit":1}}}})");
  run_to("2016-05-19T11:00:00.1Z");
  EXPECT_NE(job("c-24394200").text_at({"spec", "backoffLimit"}), "1");
  EXPECT_EQ(job("c-24394260").text_at({"spec", "backoffLimit"}), "1");
}

TEST_F(CronJobTest, CJ36_AScheduleWithoutStartsIsReportedOnce) {
  start();
  add("0 0 31 2 *");
  run_to("2016-05-19T19:30:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
  EXPECT_THAT(events(),
              ElementsAre("Warning InvalidSchedule invalid schedule: 0 0 31 2 * : time difference "
                          "between two schedules is less than 1 second"));
  EXPECT_EQ(cluster_.syncs().size(), 1);
}

TEST_F(CronJobTest, CJ51_AnIntervalOfSecondsStartsAJobAMinuteAtMost) {
  start();
  add("@every 90s");
  run_to("2016-05-19T09:36:01Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394171", "c-24394173", "c-24394174", "c-24394176"));
}

TEST_F(CronJobTest, CJ51_AnIntervalBelowAMinuteSharesNames) {
  start();
  add("@every 30s");
  run_to("2016-05-19T09:33:15Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394170", "c-24394171", "c-24394172", "c-24394173"));
}

TEST_F(CronJobTest, CJ62_AResyncWritesNothing) {
  start();
  add(kHourly);
  run_to("2016-05-19T10:00:00.1Z");
  cluster_.clear_records();
  cluster_.resync("cronjobs");
  cluster_.resync("jobs");
  cluster_.run_until_idle();
  EXPECT_GE(cluster_.syncs().size(), 1);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(CronJobTest, CJ65_TheMetricHasTheDelayOfTheCreation) {
  start();
  add(kHourly);
  run_to("2016-05-19T10:00:00.1Z");
  ASSERT_EQ(cluster_.metrics().size(), 1);
  EXPECT_EQ(cluster_.metrics().front().name,
            "cronjob_controller_job_creation_skew_duration_seconds");
  EXPECT_GE(cluster_.metrics().front().value, 0);
  EXPECT_LT(cluster_.metrics().front().value, 1);
}

TEST_F(CronJobTest, ASwapKeepsCronJobsThatWait) {
  start();
  add(kHourly);
  ASSERT_TRUE(cluster_.swap(kController, &CronJobController::open).ok());
  run_to("2016-05-19T10:00:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
  run_to("2016-05-19T10:00:00.1Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
}

TEST_F(CronJobTest, AServerWithoutCronJobsIsNoMistake) {
  cluster_.remove_resource("cronjobs");
  EXPECT_EQ(cluster_.start(kController, &CronJobController::open).code(), Code::kUnsupported);
}

TEST_F(CronJobTest, StartsFollowAWallClockThatIsSet) {
  start();
  add(kHourly);
  cluster_.set_wall_clock(at("2016-05-19T12:15:00Z"));
  cluster_.advance(1min);
  EXPECT_THAT(jobs(), ElementsAre("c-24394320"));
  cluster_.set_wall_clock(at("2016-05-19T12:59:00Z"));
  cluster_.advance(1min + 100ms);
  EXPECT_THAT(jobs(), ElementsAre("c-24394320", "c-24394380"));
}

TEST_F(CronJobTest, AScheduleThatIsEditedIntoOneThatNeverStartsIsReported) {
  add(kHourly);
  start();
  cluster_.clear_records();
  edit(R"({"spec":{"schedule":"0 0 31 2 *"}})");
  EXPECT_THAT(cluster_.syncs(), ::testing::SizeIs(1));
  EXPECT_THAT(events(), Contains(HasSubstr("InvalidSchedule")));
}

TEST_F(CronJobTest, ConcurrencyGoesByTheLiveCronJobOnceItWasRead) {
  start();
  add(kHourly, R"({"spec":{"concurrencyPolicy":"Forbid"}})");
  cluster_.hold("cronjobs");
  cluster_.merge<CronJob>({"default", "c"}, R"({"status":{"active":[{"apiVersion":"batch/v1",
      "kind":"Job","namespace":"default","name":"running","uid":"running-uid"}]}})");
  add_job("running", R"({"metadata":{"uid":"running-uid"}})");
  run_to("2016-05-19T10:00:00.1Z");
  EXPECT_THAT(jobs(), ElementsAre("running"));
  EXPECT_THAT(events(), Contains(HasSubstr("JobAlreadyActive")));
  EXPECT_THAT(events(), Not(Contains(HasSubstr("UnexpectedJob"))));
  cluster_.release("cronjobs");
}

}  // namespace
}  // namespace davit::cronjob
