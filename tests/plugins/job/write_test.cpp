/// Rows J143 to J149: status writes and metrics; and Jobs that cannot be read.
#include "tests/plugins/job/fixture.hpp"

namespace davit::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class WriteTest : public JobTest {};

TEST_F(WriteTest, J143_NoFinalizerGoesBeforeTheStatusIsWritten) {
  run_job();
  const std::string pod = active_pod();
  cluster_.fail_next({.verb = Verb::kUpdate,
                      .resource = "jobs",
                      .subresource = "status",
                      .http_status = 409,
                      .reason = "Conflict",
                      .times = 1});
  cluster_.clear_records();
  succeed(pod);
  cluster_.advance(1s);
  EXPECT_THAT(write_texts(), ElementsAre("update jobs/j/status 409"));
  EXPECT_TRUE(has_finalizer(pod));
  cluster_.advance(900ms);
  EXPECT_EQ(status_writes(), 1U) << "the next attempt comes after a second";
  settle();
  EXPECT_EQ(status("succeeded"), "1");
}

TEST_F(WriteTest, J143_ABackOffBeginsWithAStatusThatWasWritten) {
  run_job();
  cluster_.fail_next(
      {.verb = Verb::kUpdate, .resource = "jobs", .subresource = "status", .times = 3});
  fail(active_pod());
  cluster_.advance(9s);
  EXPECT_EQ(status("failed"), "1");
  EXPECT_EQ(creations(), 1U);
  cluster_.advance(3s);
  EXPECT_EQ(creations(), 2U) << "one failure, counted once";
}

TEST_F(WriteTest, J144_WithoutNewsNothingIsWritten) {
  run_job();
  cluster_.clear_records();
  cluster_.resync("jobs");
  cluster_.resync("pods");
  settle();
  edit_job(R"({"metadata":{"labels":{"x":"y"}}})");
  settle();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(WriteTest, J145_ConditionsAndMembersOfOthersStay) {
  run_job();
  edit_status(R"({"conditions":[{"type":"Mine","status":"True","reason":"R","extra":"kept"}]})");
  const std::string mine = job().at({"status", "conditions"})->items().front().canonical();
  succeed(active_pod());
  settle();
  EXPECT_THAT(conditions(), ElementsAre("Mine=True/R", "SuccessCriteriaMet=True/CompletionsReached",
                                        "Complete=True/CompletionsReached"));
  EXPECT_EQ(job().at({"status", "conditions"})->items().front().canonical(), mine);
}

TEST_F(WriteTest, J146_ASuccessShowsInTheMetrics) {
  run_job();
  succeed(active_pod());
  settle();
  EXPECT_EQ(metric("jobs_finished_total", {"NonIndexed", "succeeded", "CompletionsReached"}), 1);
  EXPECT_EQ(metric("job_pods_finished_total", {"NonIndexed", "succeeded"}), 1);
  EXPECT_EQ(metric("terminated_pods_tracking_finalizer_total", {"add"}), 1);
  EXPECT_EQ(metric("terminated_pods_tracking_finalizer_total", {"delete"}), 1);
  EXPECT_EQ(metric("job_pods_creation_total", {"new", "succeeded"}), 1);
  EXPECT_EQ(metric("job_syncs_total", {"NonIndexed", "success", "pods_created"}), 1);
  EXPECT_GE(metric("job_syncs_total", {"NonIndexed", "success", "tracking"}), 1);
}

TEST_F(WriteTest, J147_AFailureShowsInTheMetrics) {
  run_job(R"({"backoffLimit":0})");
  fail(active_pod());
  settle();
  EXPECT_EQ(metric("jobs_finished_total", {"NonIndexed", "failed", "BackoffLimitExceeded"}), 1);
  EXPECT_EQ(metric("job_pods_finished_total", {"NonIndexed", "failed"}), 1);
}

TEST_F(WriteTest, J147_IndexesAndReplacementsShowInTheMetrics) {
  run_job(R"({"completionMode":"Indexed","parallelism":2,"completions":2,
              "backoffLimitPerIndex":1})");
  succeed(of_index("1"));
  fail(of_index("0"));
  cluster_.advance(12s);
  EXPECT_EQ(metric("job_pods_creation_total", {"recreate_terminating_or_failed", "succeeded"}), 1);
  fail(of_index("0"));
  settle();
  EXPECT_EQ(metric("job_finished_indexes_total", {"succeeded", "perIndex"}), 1);
  EXPECT_EQ(metric("job_finished_indexes_total", {"failed", "perIndex"}), 1);
  EXPECT_EQ(metric("jobs_finished_total", {"Indexed", "failed", "FailedIndexes"}), 1);
}

TEST_F(WriteTest, J149_NothingIsDoneBeforeTheCacheShowsWhatWasWritten) {
  start();
  cluster_.hold("pods");
  add_job(R"({"parallelism":1,"completions":3})");
  cluster_.run_until_idle();
  ASSERT_EQ(creations(), 1U);
  cluster_.clear_records();
  edit_spec(R"({"parallelism":3})");
  settle();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  cluster_.release("pods");
  settle();
  EXPECT_EQ(creations(), 2U);
  EXPECT_EQ(status("active"), "3");
}

class BadInputTest : public JobTest {
 protected:
  /// A Job that the server would refuse, as an older one may have stored it, and one that is fine.
  void add_stored(std::string_view spec) {
    Json job = Json::must(R"({"apiVersion":"batch/v1","kind":"Job",
        "metadata":{"name":"bad","namespace":"default"},
        "spec":{"selector":{"matchLabels":{"a":"1"}},"manualSelector":true,
                "template":{"metadata":{"labels":{"a":"1"}},"spec":{"restartPolicy":"Never",
                            "containers":[{"name":"c","image":"nginx"}]}}}})");
    testing::merge_patch(job["spec"], Json::must(spec));
    cluster_.add(job);
    settle();
  }
};

TEST_F(BadInputTest, AJobThatCannotBeReadIsNamedInTheLogAndStopsNoOther) {
  for (const char* spec :
       {R"({"parallelism":"many"})", R"({"parallelism":-1})", R"({"completions":99999999999})",
        R"({"backoffLimit":1.5})", R"({"activeDeadlineSeconds":"soon"})",
        R"({"completionMode":"Indexed","parallelism":2})", R"({"backoffLimitPerIndex":[]})"}) {
    testing::Cluster cluster({.note = note_text<declare>()});
    ASSERT_TRUE(cluster.start(kController, &make<JobController>).ok());
    Json good = Json::must(R"({"apiVersion":"batch/v1","kind":"Job",
        "metadata":{"name":"bad","namespace":"default"},"spec":{"selector":{"matchLabels":
        {"a":"b"}},"manualSelector":true,"template":{"metadata":{"labels":{"a":"b"}},"spec":{
        "restartPolicy":"Never","containers":[{"name":"c","image":"nginx"}]}}}})");
    Json bad = good;
    testing::merge_patch(bad["spec"], Json::must(spec));
    good["metadata"]["name"] = "good";
    cluster.add(bad);
    cluster.add(good);
    cluster.advance(2s);
    ASSERT_THAT(cluster.log(), SizeIs(1)) << spec;
    EXPECT_THAT(cluster.log().front().fields, Contains(::testing::Pair("job", "default/bad")));
    EXPECT_THAT(cluster.all<Pod>(), SizeIs(1)) << spec;
  }
}

TEST_F(BadInputTest, AnUnknownCompletionModeIsReportedAndSkipped) {
  start();
  add_stored(R"({"completionMode":"Odd"})");
  EXPECT_THAT(cluster_.event_texts(),
              ElementsAre("Warning UnknownCompletionMode Skipped Job sync because completion mode "
                          "is unknown"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(BadInputTest, ASelectorThatCannotBeReadFailsTheSyncAlone) {
  start();
  add_stored(R"({"selector":{"matchExpressions":[{"key":"a","operator":"Odd"}]}})");
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  ASSERT_FALSE(cluster_.syncs().empty());
  EXPECT_THAT(cluster_.syncs().back().error,
              ::testing::StartsWith("couldn't convert Job selector: "));
}

TEST_F(BadInputTest, AbsurdNumbersCostNoMoreThanABurst) {
  run_job(R"({"completionMode":"Indexed","parallelism":100000,"completions":100000})");
  EXPECT_LE(creations(), 1500U);
  EXPECT_EQ(creations() % 500, 0U);
}

TEST_F(BadInputTest, ADeadlineBeyondTheClockNeverComes) {
  run_job(R"({"activeDeadlineSeconds":9223372036854775807})");
  EXPECT_THAT(active_pods(), SizeIs(1));
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(BadInputTest, CountsAtTheEndOfTheirRangeDoNotOverflow) {
  run_job(R"({"completions":3,"backoffLimit":2147483647})");
  edit_status(R"({"failed":2147483647})");
  fail(active_pod());
  settle();
  EXPECT_THAT(conditions(), Contains("FailureTarget=True/BackoffLimitExceeded"));
}

TEST_F(BadInputTest, AStatusOfWrongTypesReadsAsEmpty) {
  run_job();
  edit_status(R"({"active":"one","succeeded":[],"uncountedTerminatedPods":{"succeeded":"x"},
                  "conditions":[7,{"type":5}]})");
  settle();
  EXPECT_THAT(active_pods(), SizeIs(1));
}

TEST_F(WriteTest, PodsThatATerminatingNamespaceRefusesAreNotCounted) {
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "pods",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "unable to create new content in namespace default",
                      .causes = {"NamespaceTerminating"},
                      .times = 1});
  run_job();
  EXPECT_EQ(metric("job_pods_creation_total", {"new", "succeeded"}), 0);
  EXPECT_EQ(metric("job_pods_creation_total", {"new", "failed"}), 0);
}

}  // namespace
}  // namespace davit::job
