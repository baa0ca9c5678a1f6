/// Finished Jobs that are more than the limits: rows CJ52 to CJ55.
#include "tests/plugins/cronjob/fixture.hpp"

namespace davit::cronjob {
namespace {

std::string finished_at(const std::string& start, const std::string& condition = "Complete") {
  return R"({"status":{"startTime":")" + start + R"(","completionTime":")" + start +
         R"(","conditions":[{"type":")" + condition + R"(","status":"True"}]}})";
}

TEST_F(CronJobTest, CJ52_TheOldestFinishedJobsGo) {
  add(kHourly, R"({"spec":{"successfulJobsHistoryLimit":1}})");
  add_job("a", finished_at("2016-05-19T09:02:00Z"));
  add_job("b", finished_at("2016-05-19T09:01:00Z"));
  add_job("d", finished_at("2016-05-19T09:03:00Z"));
  add_job("f", finished_at("2016-05-19T09:00:00Z", "Failed"));
  start();
  EXPECT_THAT(jobs(), ElementsAre("d", "f"));
  EXPECT_THAT(events(), ElementsAre("Normal SuccessfulDelete Deleted job b",
                                    "Normal SuccessfulDelete Deleted job a"));
  for (const auto& each : cluster_.requests_of(Verb::kDelete, "jobs")) {
    EXPECT_EQ(each.json().text_at({"propagationPolicy"}), "Background");
  }
}

TEST_F(CronJobTest, CJ53_WithALimitOfZeroAJobGoesAtItsEnd) {
  start();
  add(kHourly, R"({"spec":{"failedJobsHistoryLimit":0}})");
  run_to("2016-05-19T10:00:00.1Z");
  cluster_.clear_records();
  finish("c-24394200", "Failed");
  EXPECT_THAT(jobs(), IsEmpty());
  EXPECT_THAT(active(), IsEmpty());
  EXPECT_THAT(events(), ElementsAre("Normal SuccessfulDelete Deleted job c-24394200"));
}

TEST_F(CronJobTest, CJ54_AFailedDeletionDelaysNoStart) {
  start();
  add(kHourly, R"({"spec":{"failedJobsHistoryLimit":0}})");
  run_to("2016-05-19T09:59:59Z");
  cluster_.fail_next({.verb = Verb::kDelete, .resource = "jobs", .times = 10});
  add_job("f", finished_at("2016-05-19T09:00:00Z", "Failed"));
  EXPECT_THAT(events(), ElementsAre("Warning FailedDelete Deleted job: injected failure"));
  EXPECT_TRUE(cluster_.syncs().back().ok());
  EXPECT_THAT(jobs(), ElementsAre("f"));
  run_to("2016-05-19T10:00:00.1Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200", "f"));
}

TEST_F(CronJobTest, CJ54_AFailedDeletionIsRepeatedBeforeTheNextStart) {
  start();
  add(kHourly, R"({"spec":{"failedJobsHistoryLimit":0}})");
  cluster_.fail_next({.verb = Verb::kDelete, .resource = "jobs", .times = 2});
  add_job("f", finished_at("2016-05-19T09:00:00Z", "Failed"));
  EXPECT_THAT(jobs(), ElementsAre("f"));
  run_to("2016-05-19T09:31:59Z");
  EXPECT_THAT(jobs(), ElementsAre("f"));
  run_to("2016-05-19T09:32:00.1Z");
  EXPECT_THAT(jobs(), IsEmpty());
}

TEST_F(CronJobTest, CJ55_ThePlaceOfAFinishedJobIsFreeForANewOne) {
  start();
  add(kHourly, R"({"spec":{"successfulJobsHistoryLimit":1}})");
  add_job("a", finished_at("2016-05-19T09:01:00Z"));
  cluster_.fail_next({.verb = Verb::kDelete, .resource = "jobs", .times = 2});
  add_job("b", finished_at("2016-05-19T09:02:00Z"));
  cluster_.clear_records();
  run_to("2016-05-19T10:00:00.1Z");
  std::vector<std::string> writes;
  for (const auto& each : cluster_.writes()) writes.push_back(each.text());
  EXPECT_THAT(writes, ElementsAre("delete jobs/a 200", "create jobs/c-24394200 201",
                                  "patch cronjobs/c/status 200"));
}

TEST_F(CronJobTest, CJ55_WithoutRoomTheCreationIsRepeated) {
  start();
  add(kHourly);
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "jobs",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "exceeded quota: q",
                      .times = 3});
  run_to("2016-05-19T10:00:00.1Z");
  EXPECT_THAT(events(), ElementsAre("Warning FailedCreate Error creating job: exceeded quota: q"));
  run_to("2016-05-19T10:00:02Z");
  EXPECT_THAT(active(), ElementsAre("c-24394200"));
  EXPECT_EQ(count(Verb::kCreate, "jobs"), 4);
}

TEST_F(CronJobTest, AJobOfAnotherNamespaceIsNoChildWhateverItsOwnerReferenceSays) {
  add(kHourly, R"({"spec":{"successfulJobsHistoryLimit":0,"failedJobsHistoryLimit":0}})");
  add_job("theirs",
          R"({"metadata":{"namespace":"other"},
      "status":{"startTime":"2016-05-19T09:00:00Z",
      "completionTime":"2016-05-19T09:01:00Z",
      "conditions":[{"type":"Complete","status":"True"}]}})");
  add_job("running", R"({"metadata":{"namespace":"other"}})");
  start();
  run_to("2016-05-19T10:00:00.1Z");
  EXPECT_THAT(jobs(), UnorderedElementsAre("theirs", "running", "c-24394200"));
  EXPECT_THAT(active(), ElementsAre("c-24394200"));
  EXPECT_THAT(events(), ElementsAre("Normal SuccessfulCreate Created job c-24394200"));
}

TEST_F(CronJobTest, AReferenceWithTheUidOfTheCronJobAndAnotherNameIsForged) {
  add(kHourly, R"({"spec":{"successfulJobsHistoryLimit":0}})");
  add_job("forged", R"({"metadata":{"ownerReferences":[{"apiVersion":"batch/v1","kind":"CronJob",
      "name":"d","uid":"cron-uid","controller":true}]},
      "status":{"startTime":"2016-05-19T09:00:00Z",
      "completionTime":"2016-05-19T09:01:00Z",
      "conditions":[{"type":"Complete","status":"True"}]}})");
  start();
  EXPECT_THAT(jobs(), ElementsAre("forged"));
}

}  // namespace
}  // namespace davit::cronjob
