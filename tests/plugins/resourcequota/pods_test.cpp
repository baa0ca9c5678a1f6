/// Rows RQ14 to RQ20 and RQ30 to RQ38: scopes of pods, and what pods use.
#include "tests/plugins/resourcequota/fixture.hpp"

namespace davit::resourcequota {
namespace {

class PodsTest : public QuotaTest {
 protected:
  /// The usage of the pods that are there, under the terms `more`.
  std::string count(std::string_view hard, std::string_view more = {}) {
    const std::string name = "q" + std::to_string(++quotas_);
    quota(hard, more, name);
    return used(name);
  }

 private:
  int quotas_ = 0;
};

constexpr std::string_view kPods = R"({"pods":"9"})";

TEST_F(PodsTest, RQ14_BestEffortPodsRequestNothing) {
  cluster_.add(pod("a"));
  cluster_.add(pod_with("b", R"("cpu":"100m")"));
  start();
  EXPECT_EQ(count(kPods, R"("scopes":["BestEffort"])"), "pods=1");
}

TEST_F(PodsTest, RQ15_TheOthersAreNotBestEffort) {
  cluster_.add(pod("a"));
  cluster_.add(pod_with("b", R"("cpu":"100m")"));
  start();
  EXPECT_EQ(count(R"({"pods":"9","cpu":"1"})", R"("scopes":["NotBestEffort"])"), "cpu=100m pods=1");
}

TEST_F(PodsTest, AQualityOfServiceThatTheServerWroteCounts) {
  cluster_.add(pod("a").status("qosClass", R"("Burstable")"));
  start();
  EXPECT_EQ(count(kPods, R"("scopes":["BestEffort"])"), "pods=0");
}

TEST_F(PodsTest, RQ16_APodWithADeadlineIsTerminating) {
  cluster_.add(pod("a").spec("activeDeadlineSeconds", "60"));
  start();
  EXPECT_EQ(count(kPods, R"("scopes":["Terminating"])"), "pods=1");
  EXPECT_EQ(count(kPods, R"("scopes":["NotTerminating"])"), "pods=0");
}

TEST_F(PodsTest, RQ17_ADeadlineThatIsSetLaterMovesThePod) {
  cluster_.add(pod("a"));
  start();
  quota(kPods, R"("scopes":["Terminating"])", "q1");
  quota(kPods, R"("scopes":["NotTerminating"])", "q2");
  ASSERT_EQ(used("q1") + " " + used("q2"), "pods=0 pods=1");
  cluster_.merge<Pod>({"t", "a"}, R"({"spec":{"activeDeadlineSeconds":60}})");
  run();
  EXPECT_EQ(used("q1") + " " + used("q2"), "pods=1 pods=0");
}

class PriorityTest : public PodsTest {
 protected:
  std::string count_class(const std::string& op, const std::string& values = "") {
    return count(kPods, R"("scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass",)"
                        R"("operator":")" +
                            op + '"' + values + "}]}");
  }
  void add_pods() {
    cluster_.add(pod("a").spec("priorityClassName", R"("high")"));
    cluster_.add(pod("b").spec("priorityClassName", R"("low")"));
    cluster_.add(pod("c"));
    start();
  }
};

TEST_F(PriorityTest, RQ18_PodsOfAPriorityClass) {
  add_pods();
  EXPECT_EQ(count_class("In", R"(,"values":["high"])"), "pods=1");
}

TEST_F(PriorityTest, RQ19_TheOtherOperators) {
  add_pods();
  EXPECT_EQ(count_class("NotIn", R"(,"values":["high"])"), "pods=2");
  EXPECT_EQ(count_class("Exists"), "pods=2");
  EXPECT_EQ(count_class("DoesNotExist"), "pods=1");
}

TEST_F(PriorityTest, ATermWithoutAMeaningEndsTheCount) {
  add_pods();
  EXPECT_EQ(count_class("Near", R"(,"values":["high"])"), "pods=0");
  EXPECT_EQ(count_class("In", R"(,"values":[")" + std::string(64, 'x') + "\"]"), "pods=0");
  for (const testing::SyncRecord& each : cluster_.syncs()) EXPECT_TRUE(each.ok()) << each.error;
}

TEST_F(PodsTest, RQ20_PodsThatLookIntoOtherNamespaces) {
  cluster_.add(pod("a").spec(
      "affinity", R"({"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
          {"topologyKey":"zone","namespaceSelector":{}}]}})"));
  cluster_.add(pod("b").spec("affinity",
                             R"({"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
          {"topologyKey":"zone"}]}})"));
  cluster_.add(pod("c").spec("affinity",
                             R"({"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[
          {"weight":1,"podAffinityTerm":{"topologyKey":"zone","namespaces":["other"]}}]}})"));
  start();
  const std::string_view scope =
      R"("scopeSelector":{"matchExpressions":[{"scopeName":"CrossNamespacePodAffinity",
          "operator":"Exists"}]})";
  EXPECT_EQ(count(kPods, scope), "pods=2");
}

TEST_F(PodsTest, RQ30_ExtendedResources) {
  cluster_.add(pod_with("a", R"("example.com/gpu":"2")"));
  start();
  EXPECT_EQ(count(R"({"requests.example.com/gpu":"4"})"), "requests.example.com/gpu=2");
}

TEST_F(PodsTest, RQ31_HugePages) {
  cluster_.add(pod_with("a", R"("hugepages-2Mi":"4Mi")"));
  start();
  EXPECT_EQ(count(R"({"hugepages-2Mi":"8Mi","requests.hugepages-2Mi":"8Mi"})"),
            "hugepages-2Mi=4Mi requests.hugepages-2Mi=4Mi");
}

TEST_F(PodsTest, RQ32_AnInitContainerMayNeedMoreThanAllOthers) {
  cluster_.add(
      pod("a")
          .spec("containers", R"([{"name":"a","image":"i","resources":{"requests":{"cpu":"100m"}}},
              {"name":"b","image":"i","resources":{"requests":{"cpu":"200m"}}}])")
          .spec("initContainers",
                R"([{"name":"i","image":"i","resources":{"requests":{"cpu":"500m"}}}])"));
  start();
  EXPECT_EQ(count(R"({"cpu":"1","requests.cpu":"1"})"), "cpu=500m requests.cpu=500m");
}

TEST_F(PodsTest, RQ33_ASidecarRunsBesideLaterInitContainers) {
  cluster_.add(pod_with("a", R"("cpu":"100m")")
                   .spec("initContainers",
                         R"([{"name":"s","image":"i","restartPolicy":"Always",
                     "resources":{"requests":{"cpu":"200m"}}},
                    {"name":"i","image":"i","resources":{"requests":{"cpu":"250m"}}}])"));
  start();
  EXPECT_EQ(count(R"({"requests.cpu":"1"})"), "requests.cpu=450m");
}

TEST_F(PodsTest, RQ34_OverheadIsAdded) {
  cluster_.add(pod("a")
                   .spec("containers", R"([{"name":"a","image":"i","resources":{
                       "requests":{"cpu":"100m"},"limits":{"cpu":"200m"}}}])")
                   .spec("overhead", R"({"cpu":"50m"})"));
  start();
  EXPECT_EQ(count(R"({"limits.cpu":"1","requests.cpu":"1"})"), "limits.cpu=250m requests.cpu=150m");
}

TEST_F(PodsTest, RQ35_OverheadIsNoLimit) {
  cluster_.add(pod("a").spec("overhead", R"({"cpu":"50m"})"));
  start();
  EXPECT_EQ(count(R"({"limits.cpu":"1"})"), "limits.cpu=0");
}

TEST_F(PodsTest, RQ36_ARequestOfThePodReplacesThoseOfItsContainers) {
  cluster_.add(
      pod("a")
          .spec("containers", R"([{"name":"a","image":"i","resources":{"requests":{"cpu":"100m"}}},
              {"name":"b","image":"i","resources":{"requests":{"cpu":"100m"}}}])")
          .spec("resources", R"({"requests":{"cpu":"1"}})"));
  start();
  EXPECT_EQ(count(R"({"requests.cpu":"2"})"), "requests.cpu=1");
}

TEST_F(PodsTest, RQ37_WhatAContainerHasGotCountsWhenItIsMore) {
  cluster_.add(pod_with("a", R"("cpu":"100m")")
                   .status("containerStatuses",
                           R"([{"name":"c","resources":{"requests":{"cpu":"100m"}}}])"));
  start();
  quota(R"({"requests.cpu":"1"})");
  ASSERT_EQ(used(), "requests.cpu=100m");
  cluster_.merge<Pod>({"t", "a"}, R"({"status":{"containerStatuses":[
      {"name":"c","resources":{"requests":{"cpu":"300m"}}}]}})");
  run();
  EXPECT_EQ(used(), "requests.cpu=300m");
}

TEST_F(PodsTest, RQ38_ARequestThatTheNodeCanNeverMeetDoesNotCount) {
  cluster_.add(pod_with("a", R"("cpu":"500m")")
                   .condition("PodResizePending", "True", "Infeasible")
                   .status("containerStatuses",
                           R"([{"name":"c","resources":{"requests":{"cpu":"300m"}},
                                "allocatedResources":{"cpu":"300m"}}])"));
  start();
  EXPECT_EQ(count(R"({"requests.cpu":"1"})"), "requests.cpu=300m");
}

TEST_F(PodsTest, AnotherReasonOfAPendingResizeCountsTheSpec) {
  cluster_.add(pod_with("a", R"("cpu":"500m")")
                   .condition("PodResizePending", "True", "Deferred")
                   .status("containerStatuses",
                           R"([{"name":"c","resources":{"requests":{"cpu":"300m"}}}])"));
  start();
  EXPECT_EQ(count(R"({"requests.cpu":"1"})"), "requests.cpu=500m");
}

TEST_F(PodsTest, AnAmountThatIsNoQuantityCountsAsNone) {
  cluster_.add(pod_with("a", R"("cpu":"much","memory":{})"));
  cluster_.add(pod_with("b", R"("cpu":"100m")"));
  start();
  EXPECT_EQ(count(R"({"pods":"9","requests.cpu":"1","requests.memory":"1"})"),
            "pods=2 requests.cpu=100m requests.memory=0");
}

}  // namespace
}  // namespace davit::resourcequota
