#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/controller.hpp>

#include "plugins/deployment/deployment_controller.hpp"
#include "tests/plugins/deployment/world.hpp"

namespace davit::deployment {
namespace {

using davit::testing::Json;
using std::chrono::seconds;
using ::testing::IsEmpty;

constexpr const char* kController = "deployment-controller";

class StatusTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(world.cluster().violations(), IsEmpty()); }
  void create_with_deadline(std::int64_t deadline) {
    Json deployment = World::blueprint(3, "a");
    deployment["spec"]["progressDeadlineSeconds"] = Json(deadline);
    world.create(deployment);
  }
  [[nodiscard]] ConditionView progress() { return *world.deployment().condition("Progressing"); }
  World world;
};

// D87, D88, D89
TEST_F(StatusTest, D87D88D89CountsFollowTheSet) {
  Json deployment = World::blueprint(10, "a");
  deployment["spec"]["minReadySeconds"] = 3600;
  deployment["spec"]["progressDeadlineSeconds"] = 7200;
  world.set_health("a", Health::kNeverReady);
  world.create(deployment);
  world.run_until_idle();
  EXPECT_EQ(world.deployment().status_replicas(), 10);
  EXPECT_EQ(world.deployment().updated_replicas(), 10);
  EXPECT_EQ(world.deployment().ready_replicas(), 0);
  EXPECT_EQ(world.deployment().unavailable_replicas(), 10);
  EXPECT_EQ(world.deployment().terminating_replicas(), 0);
  EXPECT_EQ(world.condition("Available"), "False/MinimumReplicasUnavailable");

  world.cluster().merge<ReplicaSet>(world.set("a").key(), R"({"status":{"readyReplicas":10}})");
  world.sync();
  EXPECT_EQ(world.deployment().ready_replicas(), 10);
  EXPECT_EQ(world.deployment().available_replicas(), 0);
  EXPECT_EQ(world.condition("Available"), "False/MinimumReplicasUnavailable");

  world.merge(R"({"spec":{"minReadySeconds":1}})");
  world.set_health("a", Health::kGood);
  world.run_until_idle();
  EXPECT_EQ(world.deployment().available_replicas(), 10);
  EXPECT_EQ(world.deployment().unavailable_replicas(), 0);
  EXPECT_EQ(world.condition("Available"), "True/MinimumReplicasAvailable");
}

// D90, D91
TEST_F(StatusTest, D90D91DeadlinePassesWithoutAnyEventAndRecovers) {
  world.set_health("a", Health::kNeverReady);
  create_with_deadline(3);
  world.run_until_idle();
  ASSERT_NE(progress().status(), "False");
  world.cluster().advance(seconds(5));
  EXPECT_EQ(world.condition("Progressing"), "False/ProgressDeadlineExceeded");
  EXPECT_EQ(progress().message(),
            "ReplicaSet \"" + world.name_of("a") + "\" has timed out progressing.");
  const auto failed_at = progress().last_transition_time();

  world.set_health("a", Health::kGood);
  world.run_until_idle();
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetAvailable");
  EXPECT_EQ(progress().message(),
            "ReplicaSet \"" + world.name_of("a") + "\" has successfully progressed.");
  EXPECT_GT(progress().last_transition_time(), failed_at);
}

TEST_F(StatusTest, ASwapRestartsNoCountdownAlthoughTheBuildHandsOverNothing) {
  world.set_health("a", Health::kNeverReady);
  create_with_deadline(60);
  world.run_until_idle();
  ASSERT_NE(progress().status(), "False");
  world.cluster().advance(seconds(50));
  ASSERT_EQ(world.cluster().state_of(kController), "") << "it remembers nothing";

  ASSERT_TRUE(world.cluster().swap(kController, &DeploymentController::open).ok());
  world.run_until_idle();
  ASSERT_NE(progress().status(), "False");
  world.cluster().advance(seconds(12));

  EXPECT_EQ(world.condition("Progressing"), "False/ProgressDeadlineExceeded");
}

TEST_F(StatusTest, ASwapMakesNoSetTwiceWhileItsCreationIsUnseen) {
  world.create(3, "a");
  world.sync();
  world.cluster().hold("replicasets");
  world.set_image("b");
  world.sync();
  ASSERT_EQ(world.sets().size(), 2U);

  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(world.cluster().swap(kController, &DeploymentController::open).ok());
    world.sync();
  }
  world.cluster().release("replicasets");
  world.run_until_idle();

  EXPECT_EQ(world.sets().size(), 2U);
  EXPECT_EQ(world.size("b"), 3);
}

TEST_F(StatusTest, D90StuckRolloutDoesNotPoll) {
  world.set_health("a", Health::kNeverReady);
  create_with_deadline(600);
  world.run_until_idle();
  world.cluster().clear_records();
  world.cluster().advance(std::chrono::minutes(30));
  EXPECT_LE(world.cluster().syncs().size(), 4U);
}

// D92, D93
TEST_F(StatusTest, D92D93CompleteRolloutStaysCompleteWhilePodsComeAndGo) {
  world.create(3, "a");
  world.run_until_idle();
  const auto updated_at = progress().last_update_time();
  world.cluster().merge<ReplicaSet>(world.set("a").key(),
                                    R"({"status":{"readyReplicas":2,"availableReplicas":2}})");
  world.cluster().advance(seconds(700));
  EXPECT_EQ(world.deployment().available_replicas(), 2);
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetAvailable");
  EXPECT_EQ(world.condition("Available"), "False/MinimumReplicasUnavailable");
  world.run_until_idle();
  EXPECT_EQ(progress().last_update_time(), updated_at);
  world.scale(5);
  world.run_until_idle();
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetAvailable");
  EXPECT_EQ(world.condition("Available"), "True/MinimumReplicasAvailable");
  EXPECT_EQ(progress().last_update_time(), updated_at);
}

TEST_F(StatusTest, D94FailureOfTheSetIsShownAndTakenBack) {
  world.set_health("a", Health::kNeverReady);
  world.create(3, "a");
  world.run_until_idle();
  const Key key = world.set("a").key();
  world.cluster().merge<ReplicaSet>(key, R"({"status":{"conditions":[
      {"type":"ReplicaFailure","status":"True","reason":"FailedCreate","message":"exceeded quota",
       "lastTransitionTime":"2024-05-01T12:00:00Z"}]}})");
  world.run_until_idle();
  EXPECT_EQ(world.condition("ReplicaFailure"), "True/FailedCreate");
  EXPECT_EQ(world.deployment().condition("ReplicaFailure")->message(), "exceeded quota");
  world.cluster().merge<ReplicaSet>(key, R"({"status":{"conditions":null}})");
  world.run_until_idle();
  EXPECT_EQ(world.condition("ReplicaFailure"), "");
}

TEST_F(StatusTest, D95ConditionGoesWithTheDeadline) {
  world.create(3, "a");
  world.run_until_idle();
  world.merge(R"({"spec":{"progressDeadlineSeconds":2147483647}})");
  world.run_until_idle();
  EXPECT_EQ(world.condition("Progressing"), "");
}

TEST_F(StatusTest, D96SetThatDoesNotReportTerminatingMakesItUnknown) {
  world.create(3, "a");
  world.run_until_idle();
  EXPECT_EQ(world.deployment().terminating_replicas(), 0);
  world.cluster().merge<ReplicaSet>(world.set("a").key(),
                                    R"({"status":{"terminatingReplicas":null}})");
  world.sync();
  EXPECT_EQ(world.deployment().terminating_replicas(), std::nullopt);
}

TEST_F(StatusTest, D97ProgressMovesOnlyTheUpdateTime) {
  world.create(3, "a");
  world.run_until_idle();
  const auto since = progress().last_transition_time();
  const auto before = progress().last_update_time();
  world.set_image("b");
  world.cluster().skip(seconds(10));
  world.run_until_idle();
  EXPECT_EQ(progress().last_transition_time(), since);
  EXPECT_GT(progress().last_update_time(), before);
}

TEST_F(StatusTest, D98NothingIsWrittenWhenNothingChanged) {
  world.create(3, "a");
  world.run_until_idle();
  world.set_image("b");
  world.run_until_idle();
  world.cluster().clear_records();
  for (const char* resource : {"deployments", "replicasets", "pods"}) {
    world.cluster().resync(resource);
  }
  world.cluster().run_until_idle();
  world.cluster().advance(std::chrono::hours(24));
  EXPECT_THAT(world.writes(), IsEmpty());
  EXPECT_FALSE(world.cluster().syncs().empty());
}

TEST_F(StatusTest, D99DeploymentBeingDeletedIsNotScaled) {
  world.create(3, "a");
  world.run_until_idle();
  world.cluster().remove<Deployment>(World::kDeployment, {.propagation = Propagation::kForeground});
  world.cluster().merge<ReplicaSet>(world.set("a").key(), R"({"spec":{"replicas":1}})");
  world.cluster().clear_records();
  world.run_until_idle();
  EXPECT_EQ(world.size("a"), 1);
  EXPECT_THAT(world.events(), IsEmpty());
  EXPECT_EQ(world.deployment().status_replicas(), 1) << "the status is kept";
}

TEST_F(StatusTest, D100HistoryLimitAloneMovesTheObservedGeneration) {
  world.create(3, "a");
  world.run_until_idle();
  const std::string set(world.set("a").resource_version());
  world.cluster().clear_records();
  world.merge(R"({"spec":{"revisionHistoryLimit":3}})");
  world.run_until_idle();
  EXPECT_EQ(world.deployment().observed_generation(), world.deployment().generation());
  EXPECT_EQ(world.set("a").resource_version(), set);
  EXPECT_THAT(world.writes(), ::testing::ElementsAre("patch deployments/d/status 200"));
}

// Q2: the order of the conditions that users see.
TEST_F(StatusTest, CompleteRolloutListsAvailableBeforeProgressing) {
  world.create(3, "a");
  world.sync();
  EXPECT_EQ(world.deployment().conditions().at(0)["type"].string(), "Progressing");
  world.run_until_idle();
  EXPECT_EQ(world.deployment().conditions().at(0)["type"].string(), "Available");
  EXPECT_EQ(world.deployment().conditions().at(1)["type"].string(), "Progressing");
}

}  // namespace
}  // namespace davit::deployment
