/// Rows J104 to J117: pod failure policies.
#include "tests/plugins/job/fixture.hpp"

namespace davit::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A rule about exit codes.
std::string on_codes(std::string_view action, std::string_view codes = "[5]",
                     std::string_view op = "In", std::string_view container = "") {
  std::string rule = R"({"action":")" + std::string(action) + R"(","onExitCodes":{)";
  if (!container.empty()) rule += R"("containerName":")" + std::string(container) + R"(",)";
  return rule + R"("operator":")" + std::string(op) + R"(","values":)" + std::string(codes) + "}}";
}
std::string on_condition(std::string_view action, std::string_view type) {
  return R"({"action":")" + std::string(action) + R"(","onPodConditions":[{"type":")" +
         std::string(type) + R"(","status":"True"}]})";
}

class FailurePolicyTest : public JobTest {
 protected:
  void run_with(const std::string& rules, std::string_view spec = "{}",
                std::string_view patch = "{}") {
    Json all = Json::must(spec);
    all["podFailurePolicy"]["rules"] = Json::must("[" + rules + "]");
    run_job(all.dump(), patch);
  }
  void set_condition(const std::string& pod, std::string_view type) {
    set_pod(pod, R"({"status":{"phase":"Failed","conditions":[{"type":")" + std::string(type) +
                     R"(","status":"True"}]}})");
  }
  /// The pod failed, it is not counted, and another one comes after the back-off.
  void expect_ignored(const std::string& pod) {
    settle();
    EXPECT_EQ(status("failed"), "");
    EXPECT_THAT(conditions(), IsEmpty());
    EXPECT_FALSE(has_finalizer(pod));
    EXPECT_EQ(creations(), 1U) << "an ignored failure delays its successor, too";
    cluster_.advance(10s);
    EXPECT_EQ(creations(), 2U);
  }
};

TEST_F(FailurePolicyTest, J104_AnExitCodeFailsTheJob) {
  run_with(on_codes("FailJob"), R"({"parallelism":2,"completions":2})");
  const std::vector<std::string> pods = active_pods();
  cluster_.clear_records();
  fail(pods[0], 5);
  settle();
  const std::string message = "Container c for pod default/" + pods[0] +
                              " failed with exit code 5 matching FailJob rule at index 0";
  EXPECT_THAT(conditions(),
              ElementsAre("FailureTarget=True/PodFailurePolicy", "Failed=True/PodFailurePolicy"));
  EXPECT_EQ(message_of("FailureTarget"), message);
  EXPECT_EQ(message_of("Failed"), message);
  EXPECT_THAT(conditions_of(stored_statuses().front()),
              ElementsAre("FailureTarget=True/PodFailurePolicy"));
  EXPECT_FALSE(exists(pods[1]));
  EXPECT_EQ(events("Warning PodFailurePolicy " + message), 1U);
}

TEST_F(FailurePolicyTest, J105_J148_AnIgnoredFailureDoesNotCount) {
  run_with(on_codes("Ignore"), R"({"backoffLimit":0})");
  const std::string pod = active_pod();
  fail(pod, 5);
  expect_ignored(pod);
  EXPECT_EQ(metric("pod_failures_handled_by_failure_policy_total", {"Ignore"}), 1);
}

TEST_F(FailurePolicyTest, J106_ADisruptionMayBeIgnored) {
  run_with(on_condition("Ignore", "DisruptionTarget"), R"({"backoffLimit":0})");
  const std::string pod = active_pod();
  set_condition(pod, "DisruptionTarget");
  expect_ignored(pod);
}

TEST_F(FailurePolicyTest, J107_AConditionFailsTheJob) {
  run_with(on_condition("FailJob", "X"));
  const std::string pod = active_pod();
  set_condition(pod, "X");
  settle();
  EXPECT_EQ(message_of("Failed"),
            "Pod default/" + pod + " has condition X matching FailJob rule at index 0");
}

TEST_F(FailurePolicyTest, J108_TheFirstRuleThatMatchesDecides) {
  run_with(on_codes("Ignore") + "," + on_codes("FailJob"));
  const std::string pod = active_pod();
  fail(pod, 5);
  expect_ignored(pod);
}

TEST_F(FailurePolicyTest, J109_ACountedFailureIsAnOrdinaryOne) {
  run_with(on_codes("Count") + "," + on_codes("FailJob"));
  fail(active_pod(), 5);
  settle();
  EXPECT_EQ(status("failed"), "1");
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(FailurePolicyTest, J110_CodesThatAreNotListedMatchNotIn) {
  run_with(on_codes("FailJob", "[5,6]", "NotIn"));
  fail(active_pod(), 5);
  settle();
  EXPECT_EQ(status("failed"), "1");
  EXPECT_THAT(conditions(), IsEmpty());
  cluster_.advance(12s);
  fail(active_pod(), 7);
  settle();
  EXPECT_THAT(conditions(), Contains("Failed=True/PodFailurePolicy"));
}

TEST_F(FailurePolicyTest, J111_ARuleMayMeanOneContainer) {
  run_with(on_codes("FailJob", "[5]", "In", "a"), "{}",
           R"({"spec":{"template":{"spec":{"containers":[{"name":"a","image":"nginx"},
                                                         {"name":"c","image":"nginx"}]}}}})");
  fail(active_pod(), 5);
  settle();
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(FailurePolicyTest, J112_WithoutANameInitContainersMatchToo) {
  run_with(on_codes("FailJob"), "{}",
           R"({"spec":{"template":{"spec":{"initContainers":[{"name":"i","image":"nginx"}]}}}})");
  set_pod(active_pod(), R"({"status":{"phase":"Failed","initContainerStatuses":[{"name":"i",
      "state":{"terminated":{"exitCode":5}}}]}})");
  settle();
  EXPECT_THAT(conditions(), Contains("Failed=True/PodFailurePolicy"));
}

TEST_F(FailurePolicyTest, J113_AnIndexMayFailAtOnce) {
  run_with(on_codes("FailIndex"), R"({"completionMode":"Indexed","parallelism":2,"completions":2,
                                      "backoffLimitPerIndex":6})");
  fail(of_index("1"), 5);
  cluster_.advance(15s);
  EXPECT_EQ(status("failedIndexes"), R"("1")");
  EXPECT_THAT(by_index(), ElementsAre(::testing::Key("0")));
}

TEST_F(FailurePolicyTest, J114_ADeletedPodHasNotFailedBeforeItEnds) {
  run_with(on_codes("FailJob"), "{}", kBound);
  const std::string pod = active_pod();
  delete_pod(pod);
  cluster_.advance(15s);
  EXPECT_EQ(status("failed"), "");
  EXPECT_EQ(status("terminating"), "1");
  EXPECT_EQ(creations(), 1U);
  fail(pod, 5);
  settle();
  EXPECT_THAT(conditions(), Contains("Failed=True/PodFailurePolicy"));
}

TEST_F(FailurePolicyTest, J115_APodThatStillRunsHasNotFailed) {
  run_with(on_codes("FailJob"));
  set_pod(active_pod(), R"({"status":{"phase":"Running","containerStatuses":[{"name":"c",
      "state":{"terminated":{"exitCode":5}}}]}})");
  settle();
  EXPECT_THAT(conditions(), IsEmpty());
  EXPECT_EQ(creations(), 1U);
}

TEST_F(FailurePolicyTest, J116_AnAnnouncedEndOutlivesThePodThatCausedIt) {
  run_with(on_codes("FailJob"), R"({"parallelism":2,"completions":2})", kBound);
  const std::vector<std::string> pods = active_pods();
  fail(pods[0], 5);
  settle();
  ASSERT_THAT(conditions(), SizeIs(1));
  const std::string message = message_of("FailureTarget");
  cluster_.erase<Pod>({"default", pods[0]});
  restart();
  cluster_.erase<Pod>({"default", pods[1]});
  settle();
  EXPECT_THAT(conditions(), Contains("Failed=True/PodFailurePolicy"));
  EXPECT_EQ(message_of("Failed"), message);
}

TEST_F(FailurePolicyTest, J117_IgnoredFailuresOfAnIndexAreCountedApart) {
  run_with(on_codes("Ignore"), R"({"completionMode":"Indexed","parallelism":1,"completions":1,
                                   "backoffLimitPerIndex":1})");
  fail(of_index("0"), 5);
  cluster_.advance(12s);
  EXPECT_EQ(annotation(of_index("0"), kFailures), "0");
  EXPECT_EQ(annotation(of_index("0"), kIgnored), "1");
}

}  // namespace
}  // namespace davit::job
