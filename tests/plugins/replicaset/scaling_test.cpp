/// Rows R19 to R30: scaling and replacing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/replicaset/fixture.hpp"

namespace davit::replicas {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// Deleted pods with a node stay terminating until their kubelet takes them away.
constexpr const char* kTwoBoundPods =
    R"({"spec":{"replicas":2,"template":{"spec":{"nodeName":"n1"}}}})";

class ScalingTest : public ReplicaSetTest {
 protected:
  void set_replicas(int replicas) {
    edit_set(R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}");
    run_until_idle();
  }
};

TEST_F(ScalingTest, R19_TheStatusFollowsTheWantedNumber) {
  add_set(R"({"spec":{"replicas":2}})");
  start();
  for (const int replicas : {3, 0, 2}) {
    set_replicas(replicas);
    EXPECT_THAT(pods(), SizeIs(replicas));
    EXPECT_EQ(status("replicas"), replicas);
    EXPECT_EQ(status("observedGeneration"), set().at({"metadata", "generation"})->integer());
  }
}

TEST_F(ScalingTest, R20_ATerminatingPodIsReplacedAtOnce) {
  add_set(kTwoBoundPods);
  start();

  remove_pod(pod_names().front());
  run_until_idle();

  EXPECT_THAT(pods(), SizeIs(3));
  EXPECT_EQ(status("replicas"), 2);
  EXPECT_EQ(status("terminatingReplicas"), 1);
}

TEST_F(ScalingTest, R21_R22_HeldAndFailedPodsAreReplacedAndLeftAlone) {
  add_set(R"({"spec":{"replicas":2,"template":{"metadata":{"finalizers":["example.com/hold"]}}}})");
  start();
  const std::vector<std::string> before = pod_names();

  remove_pod(before[0]);
  edit_pod(before[1], R"({"status":{"phase":"Failed"}})");
  run_until_idle();

  EXPECT_THAT(pod_names(), SizeIs(4));
  EXPECT_THAT(pod_names(), IsSupersetOf(before));
  EXPECT_EQ(deleted(), 0U);
  EXPECT_EQ(status("replicas"), 2);
  EXPECT_EQ(status("terminatingReplicas"), 1);
}

TEST_F(ScalingTest, R23_ASucceededPodIsReplacedNotDeleted) {
  add_set();
  start();
  const std::string done = pod_names().front();

  edit_pod(done, R"({"status":{"phase":"Succeeded"}})");
  run_until_idle();

  EXPECT_THAT(pod_names(), SizeIs(2));
  EXPECT_THAT(pod_names(), Contains(done));
}

TEST_F(ScalingTest, R24_APodOfUnknownPhaseCounts) {
  add_set();
  start();

  edit_pod(pod_names().front(), R"({"status":{"phase":"Unknown"}})");
  run_until_idle();

  EXPECT_THAT(pods(), SizeIs(1));
  EXPECT_EQ(status("replicas"), 1);
}

TEST_F(ScalingTest, R25_ATemplateChangeTouchesNoPod) {
  add_set();
  start();
  const std::string before = pods().front().canonical();

  edit_set(R"({"spec":{"template":{"metadata":{"annotations":{"note":"new"}}}}})");
  run_until_idle();

  ASSERT_THAT(pods(), SizeIs(1));
  EXPECT_EQ(pods().front().canonical(), before);
  EXPECT_EQ(status("observedGeneration"), 2);
}

TEST_F(ScalingTest, R26_WhatTheScaleSubresourceSetsIsFollowed) {
  add_set();
  start();
  set_replicas(3);
  EXPECT_THAT(pods(), SizeIs(3));
  set_replicas(0);
  EXPECT_THAT(pods(), IsEmpty());
}

TEST_F(ScalingTest, R27_EachDeletionIsAnnounced) {
  add_set(R"({"spec":{"replicas":5}})");
  start();
  const std::vector<std::string> before = pod_names();

  set_replicas(3);

  std::vector<std::string> expected;
  for (const std::string& name : before) {
    if (!has_pod(name)) expected.push_back("Normal SuccessfulDelete Deleted pod: " + name);
  }
  EXPECT_THAT(expected, SizeIs(2));
  EXPECT_THAT(events(), IsSupersetOf(expected));
}

TEST_F(ScalingTest, R28_APodThatIsGoneAlreadyIsNotAFailure) {
  add_set(R"({"spec":{"replicas":2}})");
  start();
  cluster().hold("pods");
  for (const std::string& name : pod_names()) remove_pod(name);

  set_replicas(0);
  EXPECT_GE(deleted(), 2U);
  EXPECT_THAT(events(), Not(Contains(StartsWith("Warning"))));
  EXPECT_THAT(conditions(), IsEmpty());

  cluster().release("pods");
  set_replicas(1);
  EXPECT_THAT(pods(), SizeIs(1)) << "its expectations are not waited for";
}

TEST_F(ScalingTest, R29_OrphanedPodsKeepRunning) {
  add_set(R"({"spec":{"replicas":2}})");
  start();
  // The server marks the set, the garbage collector takes the references off and lets it go.
  remove_set(Propagation::kOrphan);
  run_until_idle();
  for (const std::string& name : pod_names()) {
    edit_pod(name, R"({"metadata":{"ownerReferences":null}})");
  }
  run_until_idle();
  cluster().erase<ReplicaSet>({"ns", "rs"});
  run_until_idle();

  EXPECT_THAT(pods(), SizeIs(2));
  EXPECT_EQ(deleted(), 0U);
  EXPECT_EQ(patched(), 0U);
}

}  // namespace
}  // namespace davit::replicas
