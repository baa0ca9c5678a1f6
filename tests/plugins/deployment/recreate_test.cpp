#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/deployment/world.hpp"

namespace davit::deployment {
namespace {

using davit::testing::Json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RecreateTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(world.cluster().violations(), IsEmpty()); }

  void create(std::int64_t replicas) {
    Json deployment = World::blueprint(replicas, "a");
    deployment["spec"]["strategy"] = Json::must(R"({"type": "Recreate"})");
    world.create(deployment);
    world.run_until_idle();
    world.cluster().clear_records();
  }
  World world;
};

// D67, D70
TEST_F(RecreateTest, D67D70NewSetWaitsForTheLastOldPodAndScalesDirectlyAfterwards) {
  create(6);
  world.add_pod("p1", world.set("a"), "Running");
  world.add_pod("p2", world.set("a"), "Running");
  world.set_image("b");
  world.run_until_idle();
  EXPECT_EQ(world.size("a"), 0);
  EXPECT_EQ(world.size("b"), -1) << "no set before the old pods are gone";
  EXPECT_EQ(world.deployment().status_replicas(), 0);
  EXPECT_EQ(world.condition("Available"), "False/MinimumReplicasUnavailable");

  world.cluster().remove<Pod>({"default", "p1"});
  world.cluster().remove<Pod>({"default", "p2"});
  world.run_until_idle();
  EXPECT_EQ(world.size("b"), -1) << "they are only terminating";

  world.cluster().erase<Pod>({"default", "p1"});
  world.run_until_idle();
  EXPECT_EQ(world.size("b"), -1);
  world.cluster().erase<Pod>({"default", "p2"});
  world.run_until_idle();
  EXPECT_EQ(world.size("b"), 6);
  EXPECT_THAT(world.events(),
              ElementsAre("Normal ScalingReplicaSet Scaled down replica set <a> from 6 to 0",
                          "Normal ScalingReplicaSet Scaled up replica set <b> from 0 to 6"));

  world.scale(7);
  world.run_until_idle();
  EXPECT_EQ(world.size("b"), 7);
  EXPECT_EQ(world.set("b").annotation("deployment.kubernetes.io/max-replicas"), "7");
}

TEST_F(RecreateTest, D67TerminatingPodsAreReported) {
  create(2);
  const std::string set(world.set("a").name());
  world.set_image("b");
  world.add_pod("p1", world.set("a"), "Running");
  world.sync();
  world.cluster().merge<ReplicaSet>(
      {"default", set}, R"({"status":{"replicas":0,"readyReplicas":0,"availableReplicas":0,)"
                        R"("terminatingReplicas":2}})");
  world.sync();
  EXPECT_EQ(world.deployment().terminating_replicas(), 2);
}

TEST_F(RecreateTest, D68FinishedOldPodsHoldNothingUp) {
  create(2);
  world.add_pod("p1", world.set("a"), "Failed");
  world.add_pod("p2", world.set("a"), "Succeeded");
  world.set_image("b");
  world.run_until_idle();
  EXPECT_EQ(world.size("b"), 2);
}

TEST_F(RecreateTest, D69PodsInAnUnknownOrPendingPhaseHoldItUp) {
  for (const char* phase : {"Unknown", "Pending"}) {
    World other;
    Json deployment = World::blueprint(2, "a");
    deployment["spec"]["strategy"] = Json::must(R"({"type": "Recreate"})");
    other.create(deployment);
    other.run_until_idle();
    other.add_pod("p", other.set("a"), phase);
    other.set_image("b");
    other.run_until_idle();
    EXPECT_EQ(other.size("b"), -1) << phase;
  }
}

TEST_F(RecreateTest, D71SizeAndImageInOneUpdateScaleTheOldSetFirst) {
  create(3);
  world.edit([](Json& d) {
    d["spec"]["replicas"] = 5;
    d["spec"]["template"]["spec"]["containers"].items()[0]["image"] = "b";
  });
  world.run_until_idle();
  EXPECT_THAT(world.events(),
              ElementsAre("Normal ScalingReplicaSet Scaled up replica set <a> from 3 to 5",
                          "Normal ScalingReplicaSet Scaled down replica set <a> from 5 to 0",
                          "Normal ScalingReplicaSet Scaled up replica set <b> from 0 to 5"));
}

TEST_F(RecreateTest, APodOfAnotherNamespaceHoldsNothingUpWhateverItsOwnerReferenceSays) {
  create(2);
  JsonWriter references;
  references.begin_array();
  owner_identity(world.set("a")).write_controller_reference(references);
  Json pod = Json::must(R"({"apiVersion": "v1", "kind": "Pod",
    "metadata": {"namespace": "other", "name": "forged"}, "spec": {"nodeName": "n"},
    "status": {"phase": "Running"}})");
  pod["metadata"]["ownerReferences"] = Json::must(references.end_array().text());
  world.cluster().add(std::move(pod));
  world.add_pod("p1", world.set("a"), "Running");
  world.set_image("b");
  world.run_until_idle();
  EXPECT_EQ(world.size("b"), -1);

  world.cluster().erase<Pod>({"default", "p1"});
  world.run_until_idle();

  EXPECT_EQ(world.size("b"), 2);
}

// The trigger of a pod's deletion counts every pod, finished ones too.
TEST_F(RecreateTest, OnlyTheLastPodsDeletionWakesTheDeployment) {
  create(1);
  const ReplicaSet set = world.set("a");
  world.add_pod("p1", set, "Running");
  world.add_pod("p2", set, "Failed");
  world.sync();
  world.cluster().clear_records();
  world.cluster().erase<Pod>({"default", "p1"});
  world.cluster().run_until_idle();
  EXPECT_THAT(world.cluster().syncs(), IsEmpty());
  world.cluster().erase<Pod>({"default", "p2"});
  world.cluster().run_until_idle();
  EXPECT_EQ(world.cluster().syncs().size(), 1U);
}

TEST(HandlersTest, PodsOfARollingUpdateQueueNoKey) {
  World world;
  world.create(1, "a");
  world.run_until_idle();
  world.cluster().clear_records();
  world.add_pod("p", world.set("a"), "Running");
  world.cluster().run_until_idle();
  world.cluster().erase<Pod>({"default", "p"});
  world.cluster().run_until_idle();
  EXPECT_THAT(world.cluster().syncs(), IsEmpty());
}

TEST(HandlersTest, ResyncOfReplicaSetsQueuesNothingAndOfDeploymentsEverything) {
  World world;
  world.create(1, "a");
  world.run_until_idle();
  world.cluster().clear_records();
  world.cluster().resync("replicasets");
  world.cluster().run_until_idle();
  EXPECT_THAT(world.cluster().syncs(), IsEmpty());
  world.cluster().resync("deployments");
  world.cluster().run_until_idle();
  EXPECT_EQ(world.cluster().syncs().size(), 1U);
}

TEST(HandlersTest, DeletedSetIsRecreatedWithItsNameAndTheNextRevision) {  // Q12
  World world;
  world.create(1, "a");
  world.run_until_idle();
  const Key key = world.set("a").key();
  world.cluster().remove<ReplicaSet>(key);
  world.run_until_idle();
  ASSERT_EQ(world.sets().size(), 1U);
  EXPECT_EQ(world.set("a").key(), key);
  EXPECT_EQ(world.set("a").annotation("deployment.kubernetes.io/revision"), "1");
}

}  // namespace
}  // namespace davit::deployment
