/// Rows 9, 10, 20 to 29 and 44 to 48: taints by condition, labels, pods; and 77 to 79: both
/// controllers together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "plugins/nodelifecycle/condition_taints.hpp"
#include "plugins/nodelifecycle/node_lifecycle_controller.hpp"
#include "tests/plugins/nodelifecycle/node_fixture.hpp"

namespace davit::nodelifecycle {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPodNotReady = "Warning NodeNotReady Node is not ready";

class NodeTaintTest : public NodeTest {
 protected:
  NodeTaintTest() {
    add_ready("ok");
    add_ready("n1");
  }
  void fall_silent() {
    start();
    live(2);
    stop("n1");
    outlive();
  }
  [[nodiscard]] std::string pod_ready(const std::string& name, std::string_view member = "status") {
    return condition(pod(name), "Ready").text_at({member});
  }
  [[nodiscard]] std::string label(std::string_view key) const {
    return node().text_at({"metadata", "labels", key});
  }
};

TEST_F(NodeTaintTest, N09_PodsOfASilentNodeAreMarked) {
  add_ready_pod("p");
  fall_silent();

  EXPECT_EQ(pod_ready("p"), "False");
  EXPECT_GT(pod_ready("p", "lastTransitionTime"), "2024-05-01");
  EXPECT_EQ(pod_ready("p", "reason"), "R");
  EXPECT_EQ(pod_ready("p", "message"), "M");
  EXPECT_EQ(count_events(kPodNotReady), 1);
}

TEST_F(NodeTaintTest, N10_PodsThatAreNotReadyAnywayAreLeftAlone) {
  add_pod("q");
  add_pod("r", "", R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})");
  fall_silent();

  EXPECT_EQ(count_events(kPodNotReady), 0);
  EXPECT_TRUE(cluster().requests_of(testing::Verb::kPatch, "pods", "status").empty());
}

TEST_F(NodeTaintTest, N20_MemoryPressureTaints) {
  start();
  set_condition("n1", "MemoryPressure", "True");
  EXPECT_TRUE(has("n1", "node.kubernetes.io/memory-pressure", kNoSchedule));
  set_condition("n1", "MemoryPressure", "False");
  EXPECT_FALSE(has("n1", "node.kubernetes.io/memory-pressure", kNoSchedule));
}

TEST_F(NodeTaintTest, N21_TheOtherPressuresTaintToo) {
  start();
  set_condition("n1", "DiskPressure", "True");
  set_condition("n1", "PIDPressure", "True");
  set_condition("n1", "NetworkUnavailable", "True");

  for (const char* key : {"node.kubernetes.io/disk-pressure", "node.kubernetes.io/pid-pressure",
                          "node.kubernetes.io/network-unavailable"}) {
    EXPECT_TRUE(has("n1", key, kNoSchedule)) << key;
  }
}

TEST_F(NodeTaintTest, N22_ACordonedNodeIsTainted) {
  start();
  edit_node("n1", R"({"spec":{"unschedulable":true}})");
  run_until_idle();
  EXPECT_TRUE(has("n1", "node.kubernetes.io/unschedulable", kNoSchedule));
  edit_node("n1", R"({"spec":{"unschedulable":null}})");
  run_until_idle();
  EXPECT_FALSE(has("n1", "node.kubernetes.io/unschedulable", kNoSchedule));
}

TEST_F(NodeTaintTest, N23_ATaintSetByHandWithoutItsConditionGoes) {
  start();
  taint(R"({"key":"node.kubernetes.io/disk-pressure","effect":"NoSchedule"})");

  EXPECT_FALSE(has("n1", "node.kubernetes.io/disk-pressure", kNoSchedule));
}

TEST_F(NodeTaintTest, N24_OtherEffectsAndOtherKeysStay) {
  start();
  taint(R"({"key":"node.kubernetes.io/disk-pressure","effect":"PreferNoSchedule"},
           {"key":"example.com/x","effect":"NoSchedule"})");

  EXPECT_TRUE(has("n1", "node.kubernetes.io/disk-pressure", "PreferNoSchedule"));
  EXPECT_TRUE(has("n1", "example.com/x", kNoSchedule));
}

TEST_F(NodeTaintTest, N25_ForeignTaintsStayUnchangedAndFirst) {
  start();
  taint(R"({"key":"a","value":"b","effect":"NoExecute","timeAdded":"2024-01-01T00:00:00Z"})");
  set_condition("n1", "MemoryPressure", "True");

  const Json n1 = node();
  const auto& taints = n1.at({"spec", "taints"})->items();
  ASSERT_EQ(taints.size(), 2U);
  EXPECT_EQ(taints[0], Json::must(R"({"key":"a","value":"b","effect":"NoExecute",
                                      "timeAdded":"2024-01-01T00:00:00Z"})"));
  EXPECT_EQ(taints[1].text_at({"key"}), "node.kubernetes.io/memory-pressure");
}

TEST_F(NodeTaintTest, N26_UnreachableOnAReadyNodeGoes) {
  start();
  taint(R"({"key":"node.kubernetes.io/unreachable","effect":"NoExecute"})");
  live(1);

  EXPECT_FALSE(is_evicting("n1"));
}

TEST_F(NodeTaintTest, N27_LabelsAreRepeatedUnderTheirOldNames) {
  start();
  edit_node("n1", R"({"metadata":{"labels":{"kubernetes.io/os":"linux",
                                            "kubernetes.io/arch":"amd64"}}})");
  run_until_idle();

  EXPECT_EQ(label("beta.kubernetes.io/os"), "linux");
  EXPECT_EQ(label("beta.kubernetes.io/arch"), "amd64");
}

TEST_F(NodeTaintTest, N28_AWrongOldLabelIsCorrected) {
  start();
  edit_node("n1", R"({"metadata":{"labels":{"kubernetes.io/os":"linux",
                                            "beta.kubernetes.io/os":"windows"}}})");
  run_until_idle();

  EXPECT_EQ(label("beta.kubernetes.io/os"), "linux");
}

TEST_F(NodeTaintTest, N29_OldLabelsAloneAreLeftAlone) {
  start();
  edit_node("n1", R"({"metadata":{"labels":{"beta.kubernetes.io/os":"linux"}}})");
  run_until_idle();

  EXPECT_EQ(label("kubernetes.io/os"), "");
  EXPECT_EQ(label("beta.kubernetes.io/os"), "linux");
}

TEST_F(NodeTaintTest, N44_APodBoundToASilentNodeIsMarked) {
  fall_silent();
  add_ready_pod("p");
  edit_pod("p", R"({"metadata":{"labels":{"a":"b"}}})");

  EXPECT_EQ(pod_ready("p"), "False");
  EXPECT_EQ(count_events(kPodNotReady), 1);
}

TEST_F(NodeTaintTest, N45_APodThatIsGoneIsNotAFailure) {
  add_ready_pod("gone");
  add_ready_pod("p");
  cluster().fail_next({.verb = testing::Verb::kPatch,
                       .resource = "pods",
                       .name = "gone",
                       .http_status = 404,
                       .reason = "NotFound",
                       .times = testing::Fault::kAlways});
  fall_silent();

  EXPECT_EQ(pod_ready("p"), "False");
  EXPECT_EQ(count_events(kPodNotReady), 1);
}

TEST_F(NodeTaintTest, N46_ARefusedMarkIsTriedAgainInALaterPass) {
  add_ready_pod("p");
  cluster().fail_next({.verb = testing::Verb::kPatch, .resource = "pods", .http_status = 403});
  fall_silent();

  EXPECT_EQ(pod_ready("p"), "False");
  EXPECT_EQ(count_events(kPodNotReady), 2);
  EXPECT_EQ(count_events("Normal NodeNotReady Node n1 status is now: NodeNotReady"), 1);
}

TEST_F(NodeTaintTest, N47_AloneItDeletesNoPod) {
  add_ready_pod("p");
  fall_silent();
  live(600);

  EXPECT_TRUE(is_evicting("n1"));
  EXPECT_FALSE(is_evicted("p"));
}

TEST_F(NodeTaintTest, N48_AChangeBySomebodyElseInBetweenIsKept) {
  start();
  bool is_done = false;
  cluster().on_request([&](const testing::RequestRecord& request) {
    if (is_done || request.verb != testing::Verb::kPatch || request.resource != "nodes") return;
    is_done = true;
    edit_node("n1", R"({"spec":{"taints":[{"key":"theirs","effect":"NoSchedule"}]}})");
  });
  set_condition("n1", "MemoryPressure", "True");

  EXPECT_TRUE(is_done);
  EXPECT_TRUE(has("n1", "theirs", kNoSchedule));
  EXPECT_TRUE(has("n1", "node.kubernetes.io/memory-pressure", kNoSchedule));
  EXPECT_EQ(cluster().requests_of(testing::Verb::kGet, "nodes").size(), 1U);
}

TEST_F(NodeTaintTest, ATaintThatWasNotWrittenIsTriedAgain) {
  start();
  cluster().fail_next({.verb = testing::Verb::kPatch, .resource = "nodes", .http_status = 500});
  set_condition("n1", "MemoryPressure", "True");
  live(1);

  EXPECT_TRUE(has("n1", "node.kubernetes.io/memory-pressure", kNoSchedule));
}

TEST_F(NodeTaintTest, OnlyAConflictCostsAReadOfTheNode) {
  start();
  revive("n1", "False");
  for (int i = 0; i < 20 && !has("n1", kNotReadyKey, kNoExecute); ++i) live(1);
  stop("n1");
  for (int i = 0; i < 60 && has("n1", kNotReadyKey, kNoExecute); ++i) live(1);

  EXPECT_TRUE(has("n1", kUnreachableKey, kNoExecute));
  EXPECT_FALSE(has("n1", kNotReadyKey, kNoExecute));
  // The taints follow the status that the same pass wrote: one step that knows the version before
  // it.
  EXPECT_LE(cluster().requests_of(testing::Verb::kGet, "nodes").size(), 1U);
}

// The conflict is with the recovery itself, which the cache does not show yet.
TEST_F(NodeTaintTest, ANodeThatRecoversWhileItsTaintIsWrittenGetsNone) {
  start();
  bool has_recovered = false;
  cluster().on_request([&](const testing::RequestRecord& request) {
    const bool taints = request.verb == testing::Verb::kPatch && request.resource == "nodes" &&
                        request.body.find(kNoExecute) != std::string::npos;
    if (!taints || std::exchange(has_recovered, true)) return;
    cluster().modify<Node>({"", "n1"}, [](Json& node) {
      for (Json& each : node["status"]["conditions"].items()) {
        if (each.text_at({"type"}) == "Ready") each["status"] = "True";
      }
    });
  });
  revive("n1", "False");
  live(20);
  EXPECT_TRUE(has_recovered);
  // The next pass would take it off again, but pods may be gone by then.
  for (const testing::RequestRecord& each : cluster().requests_of(testing::Verb::kPatch, "nodes")) {
    if (each.body.find(kNoExecute) == std::string::npos) continue;
    EXPECT_EQ(each.http_status, 409);
  }
}

class BothControllersTest : public NodeTaintTest {
 protected:
  static constexpr std::string_view kNotReadyToleration =
      R"({"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute")";
  static constexpr std::string_view kUnreachableToleration =
      R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute")";

  static std::string tolerations(std::string_view seconds) {
    const std::string end =
        seconds.empty() ? "}" : R"(,"tolerationSeconds":)" + std::string(seconds) + "}";
    return std::string(kNotReadyToleration) + end + "," + std::string(kUnreachableToleration) + end;
  }
  void fall_silent_with_eviction() {
    start_eviction();
    start();
    live(2);
    stop("n1");
    for (int i = 0; i < 20 && !is_evicting("n1"); ++i) live(1);
  }
};

TEST_F(BothControllersTest, N77_DefaultTolerationsKeepAPodForFiveMinutes) {
  add_pod("p", tolerations("300"));
  fall_silent_with_eviction();
  live(298);
  EXPECT_FALSE(is_evicted("p"));
  live(3);
  EXPECT_TRUE(is_evicted("p"));
}

TEST_F(BothControllersTest, N78_ThoseOfADaemonSetKeepItForEver) {
  add_pod("p", tolerations(""));
  fall_silent_with_eviction();
  live(900);

  EXPECT_FALSE(is_evicted("p"));
}

TEST_F(BothControllersTest, N79_ASwapOfTheTwoTaintsDoesNotPostponeTheEviction) {
  add_pod("p", tolerations("300"));
  start_eviction();
  start();
  revive("n1", "False");
  for (int i = 0; i < 20 && !has("n1", kNotReadyKey, kNoExecute); ++i) live(1);
  live(100);
  stop("n1");
  live(100);
  ASSERT_TRUE(is_evicting("n1"));
  ASSERT_FALSE(is_evicted("p"));
  live(101);

  EXPECT_TRUE(is_evicted("p"));
}

TEST_F(NodeTaintTest, ConfigurationMistakesNameTheMember) {
  struct Case {
    const char* config;
    const char* message;
  };
  constexpr Case kCases[] = {
      {R"({"nodeMonitorPeriod":5})", "nodeMonitorPeriod must be a duration"},
      {R"({"nodeMonitorPeriod":"0"})", "nodeMonitorPeriod must be longer than zero"},
      {R"({"nodeEvictionRate":-1})", "nodeEvictionRate must be a number"},
      {R"({"unhealthyZoneThreshold":"x"})", "unhealthyZoneThreshold must be a number"},
      {R"({"largeClusterSizeThreshold":1.5})", "largeClusterSizeThreshold must be an integer"},
      {R"({"legacyEviction":"yes"})", "legacyEviction must be true or false"},
      {R"({"podEvictionTimeout":300})", "podEvictionTimeout must be a duration"},
      {R"({"gracePeriod":"5s"})", "unknown configuration \"gracePeriod\""},
  };
  for (const Case& each : kCases) {
    const Status status =
        cluster().start("node-lifecycle-controller", &NodeLifecycleController::open, each.config);
    EXPECT_THAT(status.message(), HasSubstr(each.message));
  }
}

}  // namespace
}  // namespace davit::nodelifecycle
