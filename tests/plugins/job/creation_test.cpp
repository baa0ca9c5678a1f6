/// Rows J01 to J16: the pods that a Job creates.
#include "tests/plugins/job/fixture.hpp"

namespace davit::job {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

class CreationTest : public JobTest {};

class LaggingCreationTest : public JobTest {
 protected:
  LaggingCreationTest() : JobTest(ReadYourWrites::kOff) {}
};

TEST_F(CreationTest, J01_ThePodBelongsToTheJobAndCarriesTheFinalizer) {
  run_job();
  ASSERT_THAT(all_pods(), ElementsAre(MatchesRegex("j-[bcdfghjklmnpqrstvwxz24-9]{5}")));
  const Json pod = this->pod(active_pod());
  EXPECT_EQ(pod.text_at({"metadata", "generateName"}), "j-");
  EXPECT_EQ(pod.at({"metadata", "ownerReferences"})->canonical(),
            R"([{"apiVersion":"batch/v1","blockOwnerDeletion":true,"controller":true,)"
            R"("kind":"Job","name":"j","uid":")" +
                job_uid() + R"("}])");
  EXPECT_EQ(pod.at({"metadata", "finalizers"})->dump(), R"(["batch.kubernetes.io/job-tracking"])");
  EXPECT_EQ(pod.at({"metadata", "labels"})->canonical(),
            job().at({"spec", "template", "metadata", "labels"})->canonical());
  EXPECT_EQ(pod.text_at({"metadata", "labels", "batch.kubernetes.io/job-name"}), "j");
}

TEST_F(CreationTest, J02_TheFirstStatusIsWrittenOnce) {
  run_job();
  cluster_.advance(1min);
  EXPECT_EQ(status("active"), "1");
  EXPECT_EQ(status("ready"), "0");
  EXPECT_EQ(status("terminating"), "0");
  EXPECT_EQ(status("startTime"), R"("2024-05-01T12:00:00Z")");
  EXPECT_EQ(status("uncountedTerminatedPods"), "{}");
  for (const char* absent : {"succeeded", "failed", "conditions"}) EXPECT_EQ(status(absent), "");
  EXPECT_EQ(status_writes(), 1U);
}

TEST_F(CreationTest, J03_ThePodIsAnnouncedOnTheJob) {
  run_job();
  ASSERT_THAT(cluster_.events(), SizeIs(1));
  const testing::EventRecord& event = cluster_.events().front();
  EXPECT_EQ(event.text(), "Normal SuccessfulCreate Created pod: " + active_pod());
  EXPECT_EQ(event.api_version, "batch/v1");
  EXPECT_EQ(event.kind, "Job");
  EXPECT_EQ(event.name, "j");
  EXPECT_EQ(event.uid, job_uid());
}

TEST_F(CreationTest, J04_OnlyPartsOfTheTemplatesMetadataAreUsed) {
  run_job("{}", R"({"spec":{"template":{"metadata":{"name":"foo","annotations":{"x":"y"},
                                                    "finalizers":["a.b/c"]}}}})");
  const Json pod = this->pod(active_pod());
  EXPECT_EQ(pod.at({"metadata", "annotations"})->dump(), R"({"x":"y"})");
  EXPECT_EQ(pod.at({"metadata", "finalizers"})->dump(),
            R"(["a.b/c","batch.kubernetes.io/job-tracking"])");
  EXPECT_THAT(pod.text_at({"metadata", "name"}), StartsWith("j-"));
}

TEST_F(CreationTest, J05_AFinalizerOfTheTemplateAppearsOnce) {
  run_job("{}", R"({"spec":{"template":{"metadata":{
                   "finalizers":["batch.kubernetes.io/job-tracking"]}}}})");
  EXPECT_EQ(pod(active_pod()).at({"metadata", "finalizers"})->dump(),
            R"(["batch.kubernetes.io/job-tracking"])");
}

TEST_F(CreationTest, J06_NoMorePodsThanCompletionsAreMissing) {
  for (const char* spec : {R"({"parallelism":3,"completions":5})",
                           R"({"parallelism":5,"completions":3})", R"({"parallelism":3})"}) {
    testing::Cluster cluster({.note = note_text<declare>()});
    ASSERT_TRUE(cluster.start(kController, &make<JobController>).ok());
    Json job = Json::must(R"({"apiVersion":"batch/v1","kind":"Job",
        "metadata":{"name":"j","namespace":"default"},"spec":{"selector":{"matchLabels":{"a":"b"}},
        "manualSelector":true,"template":{"metadata":{"labels":{"a":"b"}},"spec":{
        "restartPolicy":"Never","containers":[{"name":"c","image":"nginx"}]}}}})");
    testing::merge_patch(job["spec"], Json::must(spec));
    cluster.add(job);
    cluster.run_until_idle();
    EXPECT_THAT(cluster.all<Pod>(), SizeIs(3)) << spec;
  }
}

TEST_F(CreationTest, J07_AJobWithoutParallelismHasStartedAndRunsNothing) {
  run_job(R"({"parallelism":0})");
  EXPECT_THAT(all_pods(), IsEmpty());
  EXPECT_EQ(status("startTime"), R"("2024-05-01T12:00:00Z")");
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(CreationTest, J08_AJobOfNothingIsComplete) {
  run_job(R"({"completions":0})");
  EXPECT_THAT(all_pods(), IsEmpty());
  EXPECT_THAT(conditions(), ElementsAre("SuccessCriteriaMet=True/CompletionsReached",
                                        "Complete=True/CompletionsReached"));
  EXPECT_EQ(status("startTime"), R"("2024-05-01T12:00:00Z")");
  EXPECT_NE(status("completionTime"), "");
  EXPECT_EQ(events("Normal Completed Job completed"), 1U);
}

TEST_F(LaggingCreationTest, PageSaysWhatTheJobWaitsFor) {
  const auto waits = [this] {
    const Result<DebugPage> page = cluster_.debug_page(kController, "waits/default/j");
    return page ? page->body : page.error().message();
  };
  start();
  cluster_.hold("pods");
  add_job(R"({"parallelism":1,"completions":1})");
  settle();
  EXPECT_THAT(waits(), ::testing::StartsWith("waits until its cache shows 1 creation of its own"));

  cluster_.release("pods");
  settle();
  EXPECT_EQ(waits(), "");
}

TEST_F(LaggingCreationTest, J09_NoMoreThan500CreationsAreUnseen) {
  start();
  cluster_.hold("pods");
  add_job(R"({"parallelism":1200,"completions":1200})");
  settle();
  EXPECT_EQ(creations(), 500U);
  edit_job(R"({"metadata":{"labels":{"touched":"1"}}})");
  settle();
  EXPECT_EQ(creations(), 500U) << "the cache has seen none of them";

  while (cluster_.release_one("pods")) {
  }
  settle();
  EXPECT_EQ(creations(), 1000U);
  cluster_.release("pods");
  settle();
  settle();
  EXPECT_THAT(all_pods(), SizeIs(1200));
  EXPECT_EQ(status("active"), "1200");
}

TEST_F(CreationTest, J10_J11_AQuotaShowsInEventsAndRetriesUntilThereIsRoom) {
  start();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "pods",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "pods \"j-\" is forbidden: exceeded quota: few",
                      .times = Fault::kAlways,
                      .skip = 2});
  add_job(R"({"parallelism":5,"completions":5})");
  cluster_.run_until_idle();
  EXPECT_EQ(creations(), 3U) << "one, then two of which one fails";
  EXPECT_EQ(status("active"), "2");
  EXPECT_THAT(conditions(), IsEmpty());
  EXPECT_THAT(cluster_.event_texts(),
              ::testing::Contains(
                  StartsWith("Warning FailedCreate Error creating: pods \"j-\" is forbidden")));

  std::vector<Duration> gaps;
  for (int i = 0; i < 8; ++i) {
    const std::size_t before = creations();
    const Time from = cluster_.now();
    while (creations() == before) cluster_.advance(1s);
    EXPECT_EQ(creations(), before + 1);
    gaps.push_back(cluster_.now() - from);
  }
  EXPECT_THAT(std::vector<Duration>(gaps.begin() + 2, gaps.end()),
              ElementsAre(4s, 8s, 16s, 32s, 60s, 60s));
  EXPECT_THAT(all_pods(), SizeIs(2));

  cluster_.clear_faults();
  cluster_.advance(60s);
  EXPECT_THAT(all_pods(), SizeIs(5));
}

TEST_F(CreationTest, J12_AServerThatRefusesEverythingIsAskedOnceAnAttempt) {
  start();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "pods",
                      .http_status = 422,
                      .reason = "Invalid",
                      .times = Fault::kAlways});
  add_job(R"({"parallelism":10,"completions":10})");
  cluster_.run_until_idle();
  EXPECT_EQ(creations(), 1U);
  EXPECT_EQ(status("active"), "");
  cluster_.advance(1s);
  EXPECT_EQ(creations(), 2U);
}

TEST_F(CreationTest, J13_InATerminatingNamespaceNothingIsReportedOrRetried) {
  start();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "pods",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .causes = {"NamespaceTerminating"},
                      .times = Fault::kAlways});
  add_job(R"({"parallelism":2,"completions":2})");
  cluster_.advance(1min);
  EXPECT_EQ(creations(), 2U);
  EXPECT_THAT(cluster_.event_texts(), Each(::testing::Not(HasSubstr("FailedCreate"))));
  EXPECT_EQ(stored_statuses().front().text_at({"status", "active"}), "2")
      << "Q8: they count as created";
}

TEST_F(CreationTest, J14_AJobThatIsBeingDeletedCreatesNothing) {
  add_job("{}", R"({"metadata":{"finalizers":["example.com/hold"]}})");
  delete_job();
  start();
  settle();
  EXPECT_EQ(creations(), 0U);
  EXPECT_EQ(status("ready"), "0");
  EXPECT_EQ(status("terminating"), "0");
}

TEST_F(LaggingCreationTest, J15_PodsThatTheCacheHasNotSeenAreNotCreatedTwice) {
  start();
  cluster_.hold("pods");
  add_job(R"({"parallelism":2,"completions":2})");
  for (int i = 0; i < 5; ++i) {
    edit_job(R"({"spec":{"backoffLimit":)" + std::to_string(7 + i) + "}}");
    settle();
  }
  EXPECT_EQ(creations(), 2U);
  cluster_.release("pods");
  settle();
  EXPECT_EQ(creations(), 2U);
  EXPECT_EQ(status("active"), "2");
}

TEST_F(CreationTest, J16_ALongNameIsCutByTheServer) {
  const std::string name(60, 'n');
  run_job("{}", R"({"metadata":{"name":")" + name + R"("}})");
  ASSERT_THAT(all_pods(), SizeIs(1));
  EXPECT_THAT(all_pods().front(), MatchesRegex("n{58}[bcdfghjklmnpqrstvwxz24-9]{5}"));
}

}  // namespace
}  // namespace davit::job
