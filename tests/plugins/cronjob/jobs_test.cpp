/// Jobs that run and end: rows CJ06 to CJ17, CJ37, CJ56, CJ57, CJ63 and CJ64.
#include "tests/plugins/cronjob/fixture.hpp"

namespace davit::cronjob {
namespace {

/// At 10:00 the Job c-24394200 has started, and runs.
class CronJobJobsTest : public CronJobTest {
 protected:
  void start_one(std::string_view policy = "Allow", std::string_view patch = "{}") {
    start();
    add(kHourly, patch);
    edit(R"({"spec":{"concurrencyPolicy":")" + std::string(policy) + R"("}})");
    run_to("2016-05-19T10:00:00.1Z");
    ASSERT_THAT(active(), ElementsAre("c-24394200"));
    cluster_.clear_records();
  }
};

TEST_F(CronJobJobsTest, CJ06_ACompleteJobLeavesTheStatus) {
  start_one();
  run_to("2016-05-19T10:10:00Z");
  finish("c-24394200");
  EXPECT_THAT(events(), ElementsAre("Normal SawCompletedJob Saw completed job: c-24394200, "
                                    "condition: Complete"));
  EXPECT_THAT(active(), IsEmpty());
  EXPECT_TRUE(part(cron_job(), {"status", "active"}).is_null());
  EXPECT_EQ(last_successful(), "2016-05-19T10:10:00Z");
}

TEST_F(CronJobJobsTest, CJ07_AFailedJobIsNoSuccess) {
  start_one();
  finish("c-24394200", "Failed");
  EXPECT_THAT(events(), ElementsAre("Normal SawCompletedJob Saw completed job: c-24394200, "
                                    "condition: Failed"));
  EXPECT_THAT(active(), IsEmpty());
  EXPECT_EQ(last_successful(), "");
}

TEST_F(CronJobJobsTest, TheLatestSuccessStays) {
  start_one("Allow", R"({"status":{"lastSuccessfulTime":"2030-01-01T00:00:00Z"}})");
  finish("c-24394200");
  EXPECT_EQ(last_successful(), "2030-01-01T00:00:00Z");
}

TEST_F(CronJobJobsTest, CJ09_JobsMayRunTogether) {
  start_one("Allow");
  run_to("2016-05-19T11:00:00.1Z");
  EXPECT_THAT(active(), ElementsAre("c-24394200", "c-24394260"));
}

TEST_F(CronJobJobsTest, CJ10_ForbidSkipsAStart) {
  start_one("Forbid");
  run_to("2016-05-19T11:00:00.1Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
  EXPECT_THAT(events(), ElementsAre("Normal JobAlreadyActive Not starting job because prior "
                                    "execution is running and concurrency policy is Forbid"));
  EXPECT_EQ(last_schedule(), "2016-05-19T10:00:00Z");
}

TEST_F(CronJobJobsTest, CJ11_AfterTheEndASkippedStartIsMadeUpFor) {
  start_one("Forbid");
  run_to("2016-05-19T11:20:00Z");
  finish("c-24394200");
  EXPECT_THAT(active(), ElementsAre("c-24394260"));
}

TEST_F(CronJobJobsTest, CJ12_UnlessItsDeadlineHasPassed) {
  start_one("Forbid", R"({"spec":{"startingDeadlineSeconds":600}})");
  run_to("2016-05-19T11:20:00Z");
  finish("c-24394200");
  run_to("2016-05-19T12:00:00Z");
  EXPECT_THAT(active(), IsEmpty());
  run_to("2016-05-19T12:00:00.1Z");
  EXPECT_THAT(active(), ElementsAre("c-24394320"));
}

TEST_F(CronJobJobsTest, CJ13_OfSeveralSkippedStartsTheLatestIsMadeUpFor) {
  start_one("Forbid");
  run_to("2016-05-19T13:20:00Z");
  finish("c-24394200");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200", "c-24394380"));
  EXPECT_EQ(last_schedule(), "2016-05-19T13:00:00Z");
}

TEST_F(CronJobJobsTest, CJ14_ReplaceDeletesTheJobThatRuns) {
  start_one("Replace");
  run_to("2016-05-19T11:00:00.1Z");
  EXPECT_THAT(active(), ElementsAre("c-24394260"));
  EXPECT_THAT(events(), ElementsAre("Normal SuccessfulDelete Deleted job c-24394200",
                                    "Normal SuccessfulCreate Created job c-24394260"));
  const auto deletions = cluster_.requests_of(Verb::kDelete, "jobs");
  ASSERT_EQ(deletions.size(), 1);
  EXPECT_EQ(deletions.front().name, "c-24394200");
  EXPECT_EQ(deletions.front().json().text_at({"propagationPolicy"}), "Background");
  EXPECT_THAT(deletions.front().json().text_at({"preconditions", "uid"}), Not(IsEmpty()));
}

TEST_F(CronJobJobsTest, CJ15_AFailedDeletionHoldsTheNewJobBack) {
  start_one("Replace");
  cluster_.fail_next({.verb = Verb::kDelete, .resource = "jobs", .times = 3});
  run_to("2016-05-19T11:00:00.1Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
  EXPECT_THAT(events(), ElementsAre("Warning FailedDelete Deleted job: injected failure"));
  EXPECT_EQ(cluster_.syncs().back().error, "could not replace job default/c-24394200");
  run_to("2016-05-19T11:00:02Z");
  EXPECT_THAT(active(), ElementsAre("c-24394260"));
  EXPECT_EQ(count(Verb::kDelete, "jobs"), 4);
}

TEST_F(CronJobJobsTest, CJ16_AFailedReadHoldsTheNewJobBack) {
  start_one("Replace");
  cluster_.fail_next({.verb = Verb::kGet, .resource = "jobs", .times = 3});
  run_to("2016-05-19T11:00:00.1Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
  EXPECT_THAT(events(), ElementsAre("Warning FailedGet Get job: injected failure"));
  run_to("2016-05-19T11:00:02Z");
  EXPECT_THAT(active(), ElementsAre("c-24394260"));
}

TEST_F(CronJobJobsTest, CJ17_AJobThatTheStatusLacksBlocksNothing) {
  start();
  add(kHourly, R"({"spec":{"concurrencyPolicy":"Forbid"}})");
  add_job("stray");
  EXPECT_THAT(events(), ElementsAre("Warning UnexpectedJob Saw a job that the controller did not "
                                    "create or forgot: stray"));
  run_to("2016-05-19T10:00:00.1Z");
  EXPECT_THAT(active(), ElementsAre("c-24394200"));
}

TEST_F(CronJobJobsTest, CJ37_ACronJobThatIsBeingDeletedStartsNothingAndFollowsItsJobs) {
  start_one("Allow", R"({"metadata":{"finalizers":["example.com/hold"]}})");
  cluster_.remove<CronJob>({"default", "c"});
  cluster_.run_until_idle();
  run_to("2016-05-19T11:30:00Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
  EXPECT_THAT(active(), ElementsAre("c-24394200"));
  finish("c-24394200");
  EXPECT_THAT(active(), IsEmpty());
}

TEST_F(CronJobJobsTest, CJ56_AJobThatAUserDeletedLeavesTheStatus) {
  start_one();
  ASSERT_TRUE(cluster_.erase<Job>({"default", "c-24394200"}));
  cluster_.run_until_idle();
  EXPECT_THAT(active(), IsEmpty());
  EXPECT_EQ(count(Verb::kGet, "jobs"), 1);
  EXPECT_THAT(events(), ElementsAre("Normal MissingJob Active job went missing: c-24394200"));
}

TEST_F(CronJobJobsTest, CJ57_AJobThatOnlyTheServerHasStaysInTheStatus) {
  start_one();
  cluster_.hold("jobs");
  add_job("late", R"({"metadata":{"uid":"late-uid"}})");
  edit(R"({"status":{"active":[{"apiVersion":"batch/v1","kind":"Job","namespace":"default",
                                "name":"late","uid":"late-uid"}]}})");
  EXPECT_THAT(active(), ElementsAre("late"));
  EXPECT_THAT(events(), Not(Contains(HasSubstr("MissingJob"))));
  EXPECT_GE(count(Verb::kGet, "jobs"), 1);
  cluster_.release("jobs");
}

// A user who may write the status of a CronJob chooses what stands there.
TEST_F(CronJobJobsTest, AJobOfAnotherNamespaceIsNeitherReadNorDeletedWhateverTheStatusSays) {
  add_job("theirs", R"({"metadata":{"namespace":"other","uid":"their-uid"}})");
  start_one("Replace");
  const std::string own = cron_job().at({"status", "active"})->items().front().text_at({"uid"});
  for (const std::string& uid : {std::string("their-uid"), own}) {
    edit(R"({"status":{"active":[{"apiVersion":"batch/v1","kind":"Job","namespace":"other",
                                  "name":"theirs","uid":")" +
         uid + R"("}]}})");
    EXPECT_THAT(active(), IsEmpty()) << uid;
  }
  EXPECT_THAT(events(), Contains("Normal MissingJob Active job went missing: theirs"));
  run_to("2016-05-19T11:00:00.1Z");
  EXPECT_THAT(active(), ElementsAre("c-24394260"));
  EXPECT_THAT(jobs(), Contains("theirs"));
  EXPECT_EQ(count(Verb::kGet, "jobs"), 0);
  EXPECT_EQ(count(Verb::kDelete, "jobs"), 0);
}

TEST_F(CronJobJobsTest, AJobThatTookTheNameOfAnActiveOneIsNotDeletedForIt) {
  start_one("Replace");
  edit(R"({"status":{"active":[{"apiVersion":"batch/v1","kind":"Job","namespace":"default",
                                "name":"c-24394200","uid":"former-uid"}]}})");
  EXPECT_THAT(active(), IsEmpty());
  run_to("2016-05-19T11:00:00.1Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200", "c-24394260"));
}

TEST_F(CronJobJobsTest, AJobThatTheLiveStatusListsIsKnown) {
  start();
  add(kHourly);
  cluster_.hold("cronjobs");
  add_job("new", R"({"metadata":{"uid":"new-uid"}})");
  cluster_.clear_records();
  edit(R"({"status":{"active":[{"apiVersion":"batch/v1","kind":"Job","namespace":"default",
                                "name":"new","uid":"new-uid"}]}})");
  cluster_.resync("jobs");
  cluster_.merge<Job>({"default", "new"}, R"({"metadata":{"annotations":{"a":"b"}}})");
  cluster_.run_until_idle();
  EXPECT_EQ(count(Verb::kGet, "cronjobs"), 1);
  EXPECT_THAT(events(), IsEmpty());
  cluster_.release("cronjobs");
}

TEST_F(CronJobJobsTest, AFailedReadOfTheCronJobIsRepeated) {
  start();
  add(kHourly);
  cluster_.fail_next({.verb = Verb::kGet, .resource = "cronjobs", .times = 2});
  add_job("stray");
  EXPECT_THAT(events(), IsEmpty());
  cluster_.advance(1s);
  EXPECT_THAT(events(), Contains(StartsWith("Warning UnexpectedJob ")));
}

TEST_F(CronJobJobsTest, AFailedReadOfAMissingJobIsRepeated) {
  start_one();
  cluster_.fail_next({.verb = Verb::kGet, .resource = "jobs", .times = 2});
  ASSERT_TRUE(cluster_.erase<Job>({"default", "c-24394200"}));
  cluster_.run_until_idle();
  EXPECT_THAT(active(), ElementsAre("c-24394200"));
  cluster_.advance(1s);
  EXPECT_THAT(active(), IsEmpty());
}

TEST_F(CronJobJobsTest, CJ63_AJobMadeByHandCountsForHistoryAndSuccess) {
  start();
  add(kHourly, R"({"spec":{"successfulJobsHistoryLimit":0}})");
  add_job("manual",
          R"({"metadata":{"annotations":{"cronjob.kubernetes.io/instantiate":"manual"}}})");
  EXPECT_THAT(events(), ElementsAre(StartsWith("Warning UnexpectedJob ")));
  EXPECT_THAT(active(), IsEmpty());
  finish("manual");
  EXPECT_THAT(jobs(), IsEmpty());
  EXPECT_EQ(last_successful(), "2016-05-19T09:30:00Z");
}

TEST_F(CronJobJobsTest, CJ64_JobsOfAnotherCronJobAreLeftAlone) {
  start();
  add(kHourly, R"({"spec":{"successfulJobsHistoryLimit":0}})");
  add_job("other", R"({"metadata":{"ownerReferences":[{"apiVersion":"batch/v1","kind":"CronJob",
      "name":"d","uid":"other-uid","controller":true}]}})");
  finish("other");
  run_to("2016-05-19T09:59:00Z");
  EXPECT_THAT(jobs(), ElementsAre("other"));
  EXPECT_THAT(cluster_.requests(), IsEmpty());
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(CronJobJobsTest, AJobThatLeavesItsCronJobIsMissing) {
  start_one();
  cluster_.modify<Job>({"default", "c-24394200"},
                       [](Json& job) { job["metadata"].erase("ownerReferences"); });
  cluster_.run_until_idle();
  // It is there, so the status keeps it; upstream reads it, too.
  EXPECT_EQ(count(Verb::kGet, "jobs"), 1);
  EXPECT_THAT(active(), ElementsAre("c-24394200"));
}

}  // namespace
}  // namespace davit::cronjob
