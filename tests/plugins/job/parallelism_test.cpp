/// Rows J32 to J42: a Job that is made smaller or larger while it runs.
#include "tests/plugins/job/fixture.hpp"

namespace davit::job {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ParallelismTest : public JobTest {
 protected:
  explicit ParallelismTest(ReadYourWrites own_writes = ReadYourWrites::kOn) : JobTest(own_writes) {}

  /// Two pods, "first" and "second", of which one has to go. Which one does?
  std::string removed_of(std::string_view first, std::string_view second) {
    run_job(R"({"parallelism":2,"completions":2})");
    const std::vector<std::string> names = active_pods();
    set_pod(names[0], first);
    set_pod(names[1], second);
    settle();
    edit_spec(R"({"parallelism":1})");
    settle();
    const bool first_is_gone = is_deleted(names[0]);
    EXPECT_NE(first_is_gone, is_deleted(names[1])) << "one of them";
    return first_is_gone ? "first" : "second";
  }
  [[nodiscard]] std::string ready_for(Duration time) const {
    return R"({"spec":{"nodeName":"n1"},"status":{"phase":"Running","conditions":[{"type":"Ready",
        "status":"True","lastTransitionTime":")" +
           format_time(cluster_.wall_now() - time) + R"("}]}})";
  }
};

class LaggingParallelismTest : public ParallelismTest {
 protected:
  LaggingParallelismTest() : ParallelismTest(ReadYourWrites::kOff) {}
};

TEST_F(ParallelismTest, J32_SurplusPodsLoseTheirFinalizerAndAreDeleted) {
  run_job(R"({"parallelism":3,"completions":3})");
  const std::vector<std::string> before = active_pods();
  cluster_.clear_records();
  edit_spec(R"({"parallelism":1})");
  settle();
  std::vector<std::string> writes;
  for (const testing::RequestRecord& each : cluster_.writes()) {
    writes.push_back(std::string(testing::verb_text(each.verb)) + " " + each.resource);
  }
  EXPECT_THAT(std::vector<std::string>(writes.begin(), writes.begin() + 4),
              ElementsAre("patch pods", "patch pods", "delete pods", "delete pods"));
  ASSERT_THAT(active_pods(), SizeIs(1));
  for (const std::string& each : before) {
    EXPECT_EQ(events("Normal SuccessfulDelete Deleted pod: " + each),
              each == active_pod() ? 0U : 1U);
  }
  EXPECT_EQ(status("active"), "1");
  EXPECT_EQ(status("failed"), "");
}

TEST_F(ParallelismTest, J33_MorePodsComeAtOnce) {
  run_job(R"({"parallelism":1,"completions":4})");
  edit_spec(R"({"parallelism":4})");
  EXPECT_THAT(active_pods(), SizeIs(4));
}

TEST_F(ParallelismTest, J34_UnscheduledPodsGoFirst) {
  EXPECT_EQ(removed_of(R"({"spec":{"nodeName":"n1"},"status":{"phase":"Running"}})", "{}"),
            "second");
}

TEST_F(ParallelismTest, J35_PendingPodsGoBeforeRunningOnes) {
  EXPECT_EQ(removed_of(R"({"spec":{"nodeName":"n1"},"status":{"phase":"Running"}})",
                       R"({"spec":{"nodeName":"n1"},"status":{"phase":"Pending"}})"),
            "second");
}

TEST_F(ParallelismTest, J36_PodsThatAreNotReadyGoBeforeReadyOnes) {
  EXPECT_EQ(removed_of(ready_for(1h), R"({"spec":{"nodeName":"n1"},"status":{"phase":"Running"}})"),
            "second");
}

TEST_F(ParallelismTest, J37_TheLastToBecomeReadyGoes) {
  EXPECT_EQ(removed_of(ready_for(1h), ready_for(1min)), "second");
}

TEST_F(ParallelismTest, J38_TheOneWithMoreRestartsGoes) {
  Json restarted = Json::must(ready_for(1h));
  testing::merge_patch(restarted, Json::must(R"({"status":{"containerStatuses":[
      {"name":"c","restartCount":5}]}})"));
  EXPECT_EQ(removed_of(ready_for(1h), restarted.dump()), "second");
}

TEST_F(ParallelismTest, J39_TheNewerOneGoesWhateverItsDeletionCost) {
  EXPECT_EQ(removed_of(R"({"metadata":{"creationTimestamp":"2024-04-30T00:00:00Z","annotations":{
                "controller.kubernetes.io/pod-deletion-cost":"-100"}}})",
                       "{}"),
            "second");
}

TEST_F(ParallelismTest, J40_ADeletionThatFailsIsReportedAndTriedAgain) {
  run_job(R"({"parallelism":2,"completions":2})");
  cluster_.fail_next({.verb = Verb::kDelete, .resource = "pods", .times = 1});
  edit_spec(R"({"parallelism":1})");
  EXPECT_THAT(active_pods(), SizeIs(2));
  EXPECT_EQ(status("active"), "2");
  EXPECT_THAT(cluster_.event_texts(),
              ::testing::Contains(HasSubstr("Warning FailedDelete Error deleting: ")));
  cluster_.advance(5s);
  EXPECT_THAT(active_pods(), SizeIs(1));
  EXPECT_EQ(status("active"), "1");
}

TEST_F(ParallelismTest, J41_AJobWithoutParallelismRunsNothingAndIsNotFinished) {
  run_job(R"({"parallelism":3,"completions":3})");
  edit_spec(R"({"parallelism":0})");
  settle();
  EXPECT_THAT(all_pods(), IsEmpty());
  EXPECT_EQ(status("failed"), "");
  EXPECT_EQ(status("active"), "");
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(LaggingParallelismTest, J42_DeletionsThatAreUnseenHoldBackCreations) {
  run_job(R"({"parallelism":2,"completions":2})");
  cluster_.hold("pods");
  edit_spec(R"({"parallelism":0})");
  ASSERT_THAT(all_pods(), IsEmpty());
  edit_spec(R"({"parallelism":2})");
  settle();
  EXPECT_EQ(creations(), 2U);
  cluster_.release("pods");
  settle();
  EXPECT_EQ(creations(), 4U);
}

TEST_F(LaggingParallelismTest, J42_AfterFiveMinutesTheyAreGivenUp) {
  run_job(R"({"parallelism":2,"completions":2})");
  cluster_.hold("pods");
  edit_spec(R"({"parallelism":1})");
  ASSERT_THAT(all_pods(), SizeIs(1));
  cluster_.advance(5min + 1s);
  edit_spec(R"({"parallelism":0})");
  EXPECT_GT(count(Verb::kDelete, "pods"), 1U) << "what was expected is too old to wait for";
}

}  // namespace
}  // namespace davit::job
