/// Failures and other writers: rows CJ58 to CJ61, and objects with wrong content.
#include "tests/plugins/cronjob/fixture.hpp"

namespace davit::cronjob {
namespace {

TEST_F(CronJobTest, CJ58_AfterAConflictOfTheStatusTheJobIsFoundAgain) {
  start();
  add(kHourly);
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "cronjobs",
                      .subresource = "status",
                      .http_status = 409,
                      .reason = "Conflict"});
  run_to("2016-05-19T10:00:01Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
  EXPECT_THAT(active(), ElementsAre("c-24394200"));
  EXPECT_EQ(last_schedule(), "2016-05-19T10:00:00Z");
  EXPECT_EQ(count(Verb::kCreate, "jobs"), 2);
  const std::vector<std::string> all = events();
  EXPECT_EQ(std::count(all.begin(), all.end(), "Normal SuccessfulCreate Created job c-24394200"),
            1);
  EXPECT_EQ(cluster_.metrics().size(), 1);
}

TEST_F(CronJobTest, CJ59_AfterARestartTheJobIsFoundAgain) {
  start();
  add(kHourly);
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "cronjobs",
                      .subresource = "status",
                      .times = testing::Fault::kAlways});
  run_to("2016-05-19T10:00:00.1Z");
  cluster_.stop(kController);
  ASSERT_THAT(active(), IsEmpty());
  cluster_.clear_faults();
  start();
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
  EXPECT_THAT(active(), ElementsAre("c-24394200"));
  EXPECT_EQ(last_schedule(), "2016-05-19T10:00:00Z");
}

TEST_F(CronJobTest, CJ60_AForeignJobOfTheNameIsLeftAlone) {
  start();
  add(kHourly);
  add_job("c-24394200", R"({"metadata":{"ownerReferences":null}})");
  run_to("2016-05-19T10:30:00Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(active(), IsEmpty());
  EXPECT_EQ(last_schedule(), "");
  EXPECT_EQ(count(Verb::kCreate, "jobs"), 1);
}

TEST_F(CronJobTest, CJ61_ANamespaceThatEndsIsNoReasonToWarn) {
  start();
  add(kHourly);
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "jobs",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .causes = {"NamespaceTerminating"},
                      .times = testing::Fault::kAlways});
  run_to("2016-05-19T10:00:10Z");
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_GE(count(Verb::kCreate, "jobs"), 8);
  EXPECT_LE(count(Verb::kCreate, "jobs"), 13);
}

TEST_F(CronJobTest, AScheduleThatCannotBeReadIsReportedAndStartsNothing) {
  start();
  add("60 * * * *");
  run_to("2016-05-19T12:00:00Z");
  EXPECT_THAT(events(), ElementsAre("Warning UnparseableSchedule unparseable schedule: \"60 * * * "
                                    "*\" : end of range (60) above maximum (59): 60"));
  EXPECT_EQ(cluster_.syncs().size(), 1);
}

TEST_F(CronJobTest, WrongTypesDegradeOneCronJobAndNoOther) {
  start();
  add(kHourly);
  struct Case {
    const char* patch;
    const char* what;
  };
  constexpr Case kCases[] = {
      {R"({"spec":{"schedule":7}})", "spec.schedule is not a string"},
      {R"({"spec":{"timeZone":{}}})", "spec.timeZone is not a string"},
      {R"({"spec":{"suspend":"yes"}})", "spec.suspend is not a boolean"},
      {R"({"spec":{"startingDeadlineSeconds":"soon"}})",
       "spec.startingDeadlineSeconds is not a number"},
      {R"({"spec":{"jobTemplate":[]}})", "spec.jobTemplate is not an object"},
      {R"({"metadata":{"creationTimestamp":"long ago"}})",
       "metadata.creationTimestamp is not a time"},
  };
  int number = 0;
  for (const Case& each : kCases) {
    const std::string name = "bad" + std::to_string(number++);
    Json object = Json::must(R"({"apiVersion":"batch/v1","kind":"CronJob",
        "metadata":{"namespace":"default","creationTimestamp":"2016-05-19T09:30:00Z"},
        "spec":{"schedule":"* * * * *","jobTemplate":{"spec":{}}}})");
    object["metadata"]["name"] = Json(name);
    testing::merge_patch(object, Json::must(each.patch));
    cluster_.clear_records();
    cluster_.add(object);
    cluster_.run_until_idle();
    ASSERT_EQ(cluster_.log().size(), 1) << each.patch;
    EXPECT_EQ(cluster_.log().front().message, "malformed CronJob: nothing is started for it");
    EXPECT_THAT(cluster_.log().front().fields,
                ElementsAre(std::pair<std::string, std::string>("cronjob", "default/" + name),
                            std::pair<std::string, std::string>("what", each.what)));
  }
  run_to("2016-05-19T10:00:00.1Z");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
}

TEST_F(CronJobTest, AbsurdNumbersAreWithinTheClock) {
  start();
  add(kHourly, R"({"spec":{"startingDeadlineSeconds":9223372036854775807,
                           "successfulJobsHistoryLimit":9223372036854775807,
                           "failedJobsHistoryLimit":-5},
                   "status":{"lastScheduleTime":"9999-12-31T23:59:59Z","active":"none"}})");
  run_to("2016-05-19T10:30:00Z");
  EXPECT_THAT(jobs(), IsEmpty());
  edit(R"({"status":{"lastScheduleTime":"0001-01-01T00:00:00Z","active":null}})");
  EXPECT_THAT(jobs(), ElementsAre("c-24394200"));
}

TEST_F(CronJobTest, EveryRightIsUsed) {
  start();
  add(kHourly, R"({"spec":{"concurrencyPolicy":"Replace"}})");
  add_job("stray");
  run_to("2016-05-19T11:00:00.1Z");
  // Events are the host's requests.
  EXPECT_THAT(cluster_.unused_declarations(), Each(HasSubstr("events")));
}

}  // namespace
}  // namespace davit::cronjob
