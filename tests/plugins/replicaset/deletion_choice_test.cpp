/// Rows R45 to R61 with real pods: which of them a scale-down deletes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/replicaset/fixture.hpp"

namespace davit::replicas {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class DeletionChoiceTest : public ReplicaSetTest {
 protected:
  /// A running, scheduled pod of the set, changed by a merge patch.
  void add_running(const std::string& name, std::string_view patch = "{}") {
    Json pod = Json::must(R"({"spec":{"nodeName":"n1"},"status":{"phase":"Running"}})");
    merge(pod, patch);
    add_pod(name, pod.dump());
  }
  /// The status of a pod that is ready since `age` ago.
  [[nodiscard]] std::string ready(Duration age = hours(1), std::string_view more = "") {
    return R"("status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":")" +
           format_time(now() - age) + R"("}])" + std::string(more) + "}";
  }
  [[nodiscard]] std::string made(Duration age) {
    return R"("metadata":{"creationTimestamp":")" + format_time(now() - age) + R"("},)";
  }
  static std::string restarts(int count) {
    return R"(,"containerStatuses":[{"name":"c","restartCount":)" + std::to_string(count) + "}]";
  }
  static std::string cost(std::string_view value) {
    return R"("metadata":{"annotations":{"controller.kubernetes.io/pod-deletion-cost":")" +
           std::string(value) + R"("}},)";
  }
  /// Scales the set to `replicas`, the pods being all there already.
  void scale_to(int replicas) {
    add_set(R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}");
    start();
  }
  void expect_deleted(const std::string& name) {
    EXPECT_FALSE(lives(name)) << name << " should have been deleted";
    EXPECT_EQ(deleted(), 1U);
  }
  [[nodiscard]] bool lives(const std::string& name) {
    return has_pod(name) && pod(name).at({"metadata", "deletionTimestamp"}) == nullptr;
  }
};

TEST_F(DeletionChoiceTest, R45_TheUnscheduledPod) {
  add_running("a", R"({"status":{"phase":"Pending"}})");
  add_running("b", R"({"spec":{"nodeName":null},"status":{"phase":"Pending"}})");
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R46_ThePendingPod) {
  add_running("a");
  add_running("b", R"({"status":{"phase":"Pending"}})");
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R47_ThePodThatIsNotReady) {
  add_running("a", "{" + ready() + "}");
  add_running("b");
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R48_TheCheaperPodWhateverItsRestarts) {
  add_running("a", "{" + cost("1000") + ready(hours(1), restarts(5)) + "}");
  add_running("b", "{" + cost("100") + ready() + "}");
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R49_MoreRestartsAtEqualCost) {
  add_running("a", "{" + cost("5") + ready() + "}");
  add_running("b", "{" + cost("5") + ready(hours(1), restarts(5)) + "}");
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R50_ANegativeCost) {
  add_running("a", "{" + ready() + "}");
  add_running("b", "{" + cost("-10") + ready() + "}");
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R51_AnInvalidCostCountsAsNone) {
  add_running("a", "{" + cost("1") + ready() + "}");
  // The set's already: no server takes an update of a pod with such a cost.
  add_running("b", R"({"metadata":{"annotations":{
      "controller.kubernetes.io/pod-deletion-cost":"+10"},"ownerReferences":[)" +
                       controller("ReplicaSet", "rs", "set-uid") + "]}," + ready() + "}");
  add_set(R"({"metadata":{"uid":"set-uid"},"spec":{"replicas":1}})");
  start();
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R52_NotReadyWhateverTheCost) {
  add_running("a", "{" + cost("1") + ready() + "}");
  add_running("b", R"({"metadata":{"annotations":
      {"controller.kubernetes.io/pod-deletion-cost":"1000"}}})");
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R53_ThePodThatSharesItsNodeWithASibling) {
  const std::string owner =
      R"({"metadata":{"ownerReferences":[)" + controller("Deployment", "web", "web-uid") + "]}";
  add_running("a", "{" + ready() + "}");
  add_running("b", R"({"spec":{"nodeName":"n2"},)" + ready() + "}");
  add_set(owner + R"(,"spec":{"replicas":1}})");
  Json sibling = Json::must(owner + R"(,"spec":{"replicas":1}})");
  merge(sibling, R"({"metadata":{"name":"old"},"spec":{
      "selector":{"matchLabels":{"app":"old"}},
      "template":{"metadata":{"labels":{"app":"old"}}}}})");
  const std::string old_uid = add_set(sibling.dump());
  add_running("old-1", R"({"metadata":{"labels":{"app":"old"},"ownerReferences":[)" +
                           controller("ReplicaSet", "old", old_uid) +
                           R"(]},"spec":{"nodeName":"n2"}})");
  start();
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R53_ASetOfAnotherNamespaceIsNoSiblingWhateverItsOwnerReferenceSays) {
  const std::string owner =
      R"({"metadata":{"ownerReferences":[)" + controller("Deployment", "web", "web-uid") + "]}";
  // Without the sibling the smaller UID goes.
  add_running("a", R"({"metadata":{"uid":"1"},)" + ready() + "}");
  add_running("b", R"({"metadata":{"uid":"2"},"spec":{"nodeName":"n2"},)" + ready() + "}");
  add_set(owner + R"(,"spec":{"replicas":1}})");
  Json sibling = Json::must(owner + "}");
  merge(sibling, R"({"metadata":{"name":"far","namespace":"elsewhere"},"spec":{"replicas":1}})");
  add_set(sibling.dump());
  add_running("far-1", R"({"metadata":{"namespace":"elsewhere"},"spec":{"nodeName":"n2"}})");
  start();
  expect_deleted("a");
}

TEST_F(DeletionChoiceTest, R54_AStandAloneSetIgnoresNeighbours) {
  add_running("a", "{" + ready() + "}");
  add_running("b", "{" + ready() + "}");
  add_running("c", R"({"spec":{"nodeName":"n2"},)" + ready(hours(1), restarts(3)) + "}");
  scale_to(2);
  expect_deleted("c");
}

TEST_F(DeletionChoiceTest, R55_ThePodThatBecameReadyNow) {
  add_running("a", "{" + ready(hours(24 * 30)) + "}");
  add_running("b", "{" + ready(seconds(0)) + "}");
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R56_WithinOneBucketTheSmallerUid) {
  add_running("a", R"({"metadata":{"uid":"b"},)" + ready(hours(5)) + "}");
  add_running("b", R"({"metadata":{"uid":"a"},)" + ready(hours(8)) + "}");
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R57_TheYoungerBucket) {
  add_running("a", "{" + ready(hours(5)) + "}");
  add_running("b", "{" + ready(hours(2)) + "}");
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R58_AMissingReadyTime) {
  add_running("a", "{" + ready() + "}");
  add_running("b", R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R59_MoreSidecarRestarts) {
  const auto init = [&](const char* policy, int count) {
    return R"({"spec":{"initContainers":[{"name":"s","image":"i")" + std::string(policy) + "}]}," +
           ready(hours(1), R"(,"initContainerStatuses":[{"name":"s","restartCount":)" +
                               std::to_string(count) + "}]") +
           "}";
  };
  add_running("a", init(R"(,"restartPolicy":"Always")", 0));
  add_running("b", init(R"(,"restartPolicy":"Always")", 9));
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R60_RestartsOfOrdinaryInitContainersAreIgnored) {
  const std::string spec = R"("spec":{"initContainers":[{"name":"i","image":"i"}]},)";
  add_running("a", "{" + spec + made(hours(24 * 30)) +
                       ready(hours(1), R"(,"initContainerStatuses":[{"name":"i",)"
                                       R"("restartCount":9}])") +
                       "}");
  add_running("b", "{" + spec + made(seconds(0)) + ready() + "}");
  scale_to(1);
  expect_deleted("b");
}

TEST_F(DeletionChoiceTest, R61_TheLeastAdvancedPods) {
  add_running("ready-1", "{" + ready() + "}");
  add_running("running");
  add_running("pending", R"({"status":{"phase":"Pending"}})");
  add_running("ready-2", R"({"spec":{"nodeName":"n2"},)" + ready() + "}");
  add_running("unscheduled", R"({"spec":{"nodeName":null},"status":{"phase":"Pending"}})");
  scale_to(2);

  std::vector<std::string> living;
  for (const std::string& name : pod_names()) {
    if (lives(name)) living.push_back(name);
  }
  EXPECT_THAT(living, UnorderedElementsAre("ready-1", "ready-2"));
}

}  // namespace
}  // namespace davit::replicas
