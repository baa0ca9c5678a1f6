// Users' operations on Deployments, on a cluster without faults.
#include <gtest/gtest.h>

#include "tests/system/invariants.hpp"
#include "tests/system/world.hpp"

namespace davit::test {
namespace {

constexpr std::uint64_t kSeed = 1;

std::size_t replica_sets(const World& world) { return world.record().replica_sets().size(); }

TEST(WorkloadTest, UpdateReplacesEveryPodWithinItsBounds) {
  World world(kSeed);
  world.deploy("web", 5);
  world.await_rollout("web", 5);

  world.set_image("web", "web:2");
  world.await_rollout("web", 5);

  EXPECT_EQ(world.images("web"), "web:2");
  EXPECT_EQ(replica_sets(world), 2U);
  world.expect_order("web");
  world.expect_silence("web");
}

TEST(WorkloadTest, ScalingMovesTheOnlyReplicaSet) {
  World world(kSeed);
  world.deploy("web", 2);
  world.await_rollout("web", 2);

  world.patch("web", R"({"spec":{"replicas":9}})");
  world.await_rollout("web", 9);
  world.patch("web", R"({"spec":{"replicas":3}})");
  world.await_rollout("web", 3);

  EXPECT_EQ(replica_sets(world), 1U);
  world.expect_order("web");
  world.expect_silence("web");
}

TEST(WorkloadTest, RollbackTakesTheOldReplicaSetAgain) {
  World world(kSeed);
  world.deploy("web", 4);
  world.await_rollout("web", 4);
  world.set_image("web", "web:2");
  world.await_rollout("web", 4);

  world.set_image("web", "web:1");
  world.await_rollout("web", 4);

  EXPECT_EQ(world.images("web"), "web:1");
  EXPECT_EQ(replica_sets(world), 2U);
  EXPECT_EQ(world.record().deployment("web").text_at(
                {"metadata", "annotations", "deployment.kubernetes.io/revision"}),
            "3");
  world.expect_order("web");
}

TEST(WorkloadTest, PausedDeploymentScalesButDoesNotRollOut) {
  World world(kSeed);
  world.deploy("web", 3);
  world.await_rollout("web", 3);

  world.patch("web", R"({"spec":{"paused":true,"replicas":4}})");
  world.set_image("web", "web:2");
  world.await("four pods", [&] {
    return world.record().deployment("web").get("status").get("availableReplicas").integer_or(0) ==
           4;
  });
  world.expect_silence("web");
  EXPECT_EQ(world.images("web"), "web:1");
  EXPECT_EQ(replica_sets(world), 1U);

  world.patch("web", R"({"spec":{"paused":false}})");
  world.await_rollout("web", 4);
  EXPECT_EQ(world.images("web"), "web:2");
  world.expect_order("web");
}

TEST(WorkloadTest, DeletedDeploymentTakesItsPodsAlong) {
  World world(kSeed);
  world.deploy("web", 3);
  world.await_rollout("web", 3);

  world.send("DELETE", "/apis/apps/v1/namespaces/default/deployments/web",
             R"({"propagationPolicy":"Foreground"})");
  world.await_end("web");

  world.expect_order("web");
}

TEST(WorkloadTest, DeletedInMidRolloutItLeavesNothing) {
  World world(kSeed);
  world.deploy("web", 5);
  world.await_rollout("web", 5);

  world.set_image("web", "web:2");
  world.await("a second ReplicaSet", [&] { return replica_sets(world) == 2; });
  world.send("DELETE", "/apis/apps/v1/namespaces/default/deployments/web");
  world.await_end("web");
}

// The bound on pods ends with the Deployment. Its ReplicaSets' deletion may be seen before its own,
// since each kind has a watch of its own, and the controller then makes the new one again, as
// upstream does: neither asks the server whether the Deployment is still there but before an
// adoption. The garbage collector takes it, for no object has its owner's uid.
TEST(WorkloadTest, ReplicaSetMadeForADeploymentNotSeenToBeGoneIsCollected) {
  World world(kSeed);
  world.deploy("web", 3);
  world.await_rollout("web", 3);
  world.play(R"({"fault":"hold","for":"2s",
      "target":{"verb":"watch","resource":"deployments.apps"}})");

  world.send("DELETE", "/apis/apps/v1/namespaces/default/deployments/web",
             R"({"propagationPolicy":"Background"})");
  world.await_end("web");
  world.pass(std::chrono::seconds(5));

  const Time start{};
  EXPECT_GE(world.traffic().since(start, "POST", "/replicasets").size(), 2U)
      << "the case has come up";
  EXPECT_TRUE(orphans(world.record()).empty());
  world.expect_silence("web");
}

}  // namespace
}  // namespace davit::test
