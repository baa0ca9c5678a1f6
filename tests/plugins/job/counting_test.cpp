/// Rows J17 to J31: pods that succeed are counted exactly once.
#include "tests/plugins/job/fixture.hpp"

namespace davit::job {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class CountingTest : public JobTest {
 protected:
  void fail_finalizer_patches() {
    cluster_.fail_next({.verb = Verb::kPatch, .resource = "pods", .times = Fault::kAlways});
  }
};

TEST_F(CountingTest, J17_TheJobIsCompleteWhenItsPodSucceeded) {
  run_job();
  const std::string pod = active_pod();
  succeed(pod);
  settle();
  EXPECT_TRUE(exists(pod));
  EXPECT_FALSE(has_finalizer(pod));
  EXPECT_EQ(status("succeeded"), "1");
  EXPECT_EQ(status("active"), "");
  EXPECT_EQ(status("ready"), "0");
  EXPECT_THAT(conditions(), ElementsAre("SuccessCriteriaMet=True/CompletionsReached",
                                        "Complete=True/CompletionsReached"));
  EXPECT_EQ(message_of("Complete"), "Reached expected number of succeeded pods");
  EXPECT_NE(status("completionTime"), "");
  EXPECT_EQ(events("Normal Completed Job completed"), 1U);
}

TEST_F(CountingTest, J18_TheUidIsListedThenTheFinalizerGoesThenThePodIsCounted) {
  run_job();
  const std::string pod = active_pod();
  const std::string uid = this->pod(pod).text_at({"metadata", "uid"});
  cluster_.clear_records();
  succeed(pod);
  settle();
  EXPECT_THAT(write_texts(), ElementsAre("update jobs/j/status 200", "patch pods/" + pod + " 200",
                                         "update jobs/j/status 200"));
  const std::vector<Json> stored = stored_statuses();
  EXPECT_EQ(stored[0].at({"status", "uncountedTerminatedPods"})->dump(),
            R"({"succeeded":[")" + uid + R"("]})");
  EXPECT_THAT(conditions_of(stored[0]), ElementsAre("SuccessCriteriaMet=True/CompletionsReached"));
  EXPECT_EQ(stored[0].at({"status", "succeeded"}), nullptr);
  EXPECT_EQ(stored[1].at({"status", "uncountedTerminatedPods"})->dump(), "{}");
  EXPECT_EQ(stored[1].text_at({"status", "succeeded"}), "1");
  EXPECT_EQ(cluster_.requests_of(Verb::kPatch, "pods").front().json().canonical(),
            R"({"metadata":{"$deleteFromPrimitiveList/finalizers":[)"
            R"("batch.kubernetes.io/job-tracking"]}})");
}

TEST_F(CountingTest, J19_APodWhoseFinalizerStaysIsNotCountedYet) {
  run_job();
  const std::string pod = active_pod();
  fail_finalizer_patches();
  succeed(pod);
  settle();
  EXPECT_EQ(status("succeeded"), "");
  EXPECT_EQ(status("uncountedTerminatedPods"),
            R"({"succeeded":[")" + this->pod(pod).text_at({"metadata", "uid"}) + R"("]})");
  EXPECT_THAT(conditions(), ElementsAre("SuccessCriteriaMet=True/CompletionsReached"));
  cluster_.clear_faults();
  cluster_.advance(1min);
  EXPECT_EQ(status("succeeded"), "1");
  EXPECT_THAT(conditions(), SizeIs(2));
}

TEST_F(CountingTest, APodThatAPatchDoesNotFindAlthoughItIsThereIsCountedOnce) {
  run_job(R"({"parallelism":2,"completions":2})");
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "pods",
                      .http_status = 404,
                      .reason = "NotFound",
                      .message = "pods not found"});
  const std::string pod = active_pods().front();
  succeed(pod);
  cluster_.advance(1min);
  EXPECT_EQ(status("succeeded"), "1");
  EXPECT_EQ(status("active"), "1");
  EXPECT_THAT(conditions(), IsEmpty());
  EXPECT_FALSE(has_finalizer(pod));
}

TEST_F(CountingTest, J20_ARestartInBetweenCountsNothingTwice) {
  run_job();
  fail_finalizer_patches();
  succeed(active_pod());
  settle();
  cluster_.clear_faults();
  restart();
  cluster_.advance(1min);
  EXPECT_EQ(status("succeeded"), "1");
  EXPECT_EQ(status("uncountedTerminatedPods"), "{}");
}

TEST_F(CountingTest, J21_AFinalizerThatSomeoneElseRemovedIsEnough) {
  run_job();
  const std::string pod = active_pod();
  fail_finalizer_patches();
  succeed(pod);
  settle();
  set_pod(pod, R"({"metadata":{"finalizers":null}})");
  cluster_.advance(1min);
  EXPECT_EQ(status("succeeded"), "1");
  EXPECT_THAT(conditions(), SizeIs(2));
}

TEST_F(CountingTest, J22_APodThatLostItsFinalizerEarlyIsNeverCounted) {
  run_job();
  const std::string pod = active_pod();
  set_pod(pod, R"({"metadata":{"finalizers":null}})");
  settle();
  succeed(pod);
  settle();
  EXPECT_EQ(status("succeeded"), "");
  EXPECT_THAT(active_pods(), SizeIs(1));
  EXPECT_NE(active_pod(), pod);
}

TEST_F(CountingTest, J23_NoMorePodsRunThanAreStillNeeded) {
  run_job(R"({"parallelism":2,"completions":5})");
  const std::size_t wanted[] = {2, 2, 2, 1, 0};
  for (std::size_t done = 1; done <= 5; ++done) {
    succeed(active_pods().front());
    settle();
    EXPECT_THAT(active_pods(), SizeIs(wanted[done - 1])) << done;
    EXPECT_EQ(status("succeeded"), std::to_string(done));
  }
  EXPECT_THAT(conditions(), SizeIs(2));
}

TEST_F(CountingTest, J24_J25_WithoutCompletionsOneSuccessEndsTheSupplyOfPods) {
  run_job(R"({"parallelism":3})");
  succeed(active_pods().front());
  settle();
  EXPECT_EQ(creations(), 3U);
  EXPECT_THAT(active_pods(), SizeIs(2));
  EXPECT_THAT(conditions(), IsEmpty());

  succeed(active_pods()[0]);
  fail(active_pods()[0]);
  settle();
  EXPECT_EQ(status("succeeded"), "2");
  EXPECT_EQ(status("failed"), "1");
  EXPECT_THAT(conditions(), SizeIs(2));
}

TEST_F(CountingTest, J26_PodsThatSucceedTogetherCostOneSync) {
  run_job(R"({"parallelism":3,"completions":10})");
  cluster_.clear_records();
  for (const std::string& each : active_pods()) {
    succeed(each);
    cluster_.advance(200ms);
  }
  cluster_.advance(700ms);
  EXPECT_EQ(status_writes(), 2U);
  ASSERT_GE(cluster_.writes().size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(cluster_.writes()[i].verb, Verb::kCreate) << "pods come before the status";
  }
  EXPECT_EQ(status("succeeded"), "3");
}

TEST_F(CountingTest, J27_ReadyFollowsWithinASecond) {
  run_job();
  set_ready(active_pod());
  cluster_.advance(1s);
  EXPECT_EQ(status("ready"), "1");
  set_ready(active_pod(), "False");
  cluster_.advance(1s);
  EXPECT_EQ(status("ready"), "0");
}

TEST_F(CountingTest, J28_AStatusListsAtMost500Pods) {
  run_job(R"({"parallelism":600,"completions":600})");
  settle();
  ASSERT_THAT(active_pods(), SizeIs(600));
  cluster_.clear_records();
  for (const std::string& each : active_pods()) succeed(each);
  cluster_.advance(10s);
  std::size_t complete = 0;
  for (const Json& each : stored_statuses()) {
    if (const Json* list = each.at({"status", "uncountedTerminatedPods", "succeeded"})) {
      EXPECT_LE(list->items().size(), 500U);
    }
    if (conditions_of(each).size() == 2) ++complete;
  }
  EXPECT_EQ(status("succeeded"), "600");
  EXPECT_EQ(complete, 1U);
}

TEST_F(CountingTest, J29_MoreSuccessesThanWantedAreReported) {
  run_job(R"({"completions":1,"manualSelector":true,"selector":{"matchLabels":{"a":"1"}}})",
          R"({"spec":{"template":{"metadata":{"labels":{"a":"1"}}}}})");
  add_pod("other", R"({"metadata":{"labels":{"a":"2"}},"status":{"phase":"Succeeded"}})");
  cluster_.clear_records();
  succeed(active_pod());
  set_pod("other", R"({"metadata":{"labels":{"a":"1"}}})");
  settle();
  EXPECT_EQ(count(Verb::kGet, "jobs"), 1U);
  EXPECT_EQ(status("succeeded"), "2");
  EXPECT_THAT(cluster_.event_texts(),
              ElementsAre("Warning TooManySucceededPods Too many succeeded pods running after "
                          "completion count reached",
                          "Normal Completed Job completed"));
}

TEST_F(CountingTest, J30_AFinishedJobIsLeftAlone) {
  run_job();
  const std::string pod = active_pod();
  succeed(pod);
  settle();
  const std::string before = job().at({"status"})->dump();
  edit_spec(R"({"parallelism":3})");
  delete_pod(pod);
  cluster_.advance(1min);
  EXPECT_EQ(creations(), 1U);
  EXPECT_EQ(job().at({"status"})->dump(), before);
}

TEST_F(CountingTest, J31_APodThatIsDeletedBeforeItWasCountedIsHeld) {
  run_job();
  const std::string pod = active_pod();
  succeed(pod);
  delete_pod(pod);
  EXPECT_TRUE(exists(pod));
  settle();
  EXPECT_EQ(status("succeeded"), "1");
  EXPECT_FALSE(exists(pod));
}

TEST_F(CountingTest, OneWriteStoresEveryIndexThatSucceeded) {
  run_job(R"({"parallelism":700,"completions":700,"completionMode":"Indexed"})");
  settle();
  settle();
  ASSERT_THAT(active_pods(), SizeIs(700));
  cluster_.clear_records();
  for (const std::string& each : active_pods()) succeed(each);
  cluster_.advance(10s);
  ASSERT_FALSE(stored_statuses().empty());
  EXPECT_EQ(stored_statuses().front().text_at({"status", "completedIndexes"}), "0-699");
  EXPECT_EQ(conditions(), (std::vector<std::string>{"SuccessCriteriaMet=True/CompletionsReached",
                                                    "Complete=True/CompletionsReached"}));
}

TEST_F(CountingTest, AnIndexWhosePodWasCountedAsFailedAndThenSucceededIsNotRunAgain) {
  run_job(R"({"parallelism":1,"completions":1,"completionMode":"Indexed"})", kBound);
  settle();
  const std::string name = active_pod();
  const std::string uid = pod(name).text_at({"metadata", "uid"});
  edit_status(R"({"uncountedTerminatedPods":{"failed":[")" + uid + R"("]}})");
  cluster_.clear_records();
  succeed(name);
  cluster_.advance(60s);
  EXPECT_EQ(creations(), 0U);
  EXPECT_EQ(job().text_at({"status", "completedIndexes"}), "0");
  EXPECT_EQ(status("failed"), "1");
}

TEST_F(CountingTest, ATerminalConditionOfSomeoneElseIsReplaced) {
  run_job();
  settle();
  edit_status(R"({"conditions":[{"type":"Complete","status":"False","reason":"Mine"},
                                {"type":"SuccessCriteriaMet","status":"False","reason":"Mine"}]})");
  succeed(active_pod());
  cluster_.advance(10s);
  EXPECT_THAT(conditions(), UnorderedElementsAre("SuccessCriteriaMet=True/CompletionsReached",
                                                 "Complete=True/CompletionsReached"));
}

}  // namespace
}  // namespace davit::job
