#include "plugins/deployment/status_plan.hpp"

#include <gtest/gtest.h>

#include "tests/plugins/deployment/facts_builder.hpp"

namespace davit::deployment {
namespace {

const WallTime kNow = WallTime(std::chrono::hours(1000)) + std::chrono::milliseconds(700);
const WallTime kNowSecond = WallTime(std::chrono::hours(1000));
const WallTime kEarlier = WallTime(std::chrono::hours(900));

TEST(StatusPlanTest, D87CountsOfPodsThatAreNotReady) {
  Sets sets({{10, 0}});
  sets[0].terminating = 0;
  RolloutFacts rollout = rolling({10, 3, 2});
  rollout.generation = 4;

  const DeploymentStatus status = plan_status(rollout, sets.list(), {}, kNow);

  EXPECT_EQ(status.observed_generation, 4);
  EXPECT_EQ(status.replicas, 10);
  EXPECT_EQ(status.updated, 10);
  EXPECT_EQ(status.ready, 0);
  EXPECT_EQ(status.available, 0);
  EXPECT_EQ(status.unavailable, 10);
  EXPECT_EQ(status.terminating, 0);
  const Condition* available = status.conditions.find(kAvailable);
  ASSERT_NE(available, nullptr);
  EXPECT_EQ(available->status, "False");
  EXPECT_EQ(available->reason, "MinimumReplicasUnavailable");
  EXPECT_EQ(available->message, "Deployment does not have minimum availability.");
  EXPECT_EQ(available->last_update_time, kNowSecond) << "times have whole seconds";
}

// D88, D89
TEST(StatusPlanTest, ReadyPodsCountAsAvailableOnlyIfTheirSetReportsThem) {
  Sets sets({{10, 0}});
  sets[0].ready = 10;
  const RolloutFacts rollout = rolling({10, 3, 2});
  EXPECT_EQ(plan_status(rollout, sets.list(), {}, kNow).unavailable, 10);
  sets[0].available = 10;
  const DeploymentStatus status = plan_status(rollout, sets.list(), {}, kNow);
  EXPECT_EQ(status.unavailable, 0);
  EXPECT_EQ(status.reason(kAvailable), "MinimumReplicasAvailable");
}

TEST(StatusPlanTest, OldSetsCountExceptAsUpdated) {
  const Sets sets({{3, 2}, {2, 1}});
  const DeploymentStatus status = plan_status(rolling({5, 0, 1}), sets.list(), {}, kNow);
  EXPECT_EQ(status.replicas, 5);
  EXPECT_EQ(status.updated, 2);
  EXPECT_EQ(status.available, 3);
  EXPECT_EQ(status.unavailable, 2);
}

TEST(StatusPlanTest, UnavailableIsNeverNegative) {
  Sets sets({{1, 3}});
  EXPECT_EQ(plan_status(rolling({1, 1, 0}), sets.list(), {}, kNow).unavailable, 0);
}

TEST(StatusPlanTest, D07NoReplicasWantedMeansAvailable) {
  const Sets sets({{0, 0}});
  EXPECT_EQ(plan_status(rolling({0, 1, 0}), sets.list(), {}, kNow).reason(kAvailable),
            "MinimumReplicasAvailable");
}

TEST(StatusPlanTest, CollisionCountAndForeignConditionsAreCarriedOver) {
  DeploymentStatus current;
  current.collision_count = 2;
  current.conditions.append(make_condition("Foreign", "True", "R", "m", kEarlier));
  const Sets sets({{1, 1}});
  const DeploymentStatus next = plan_status(rolling({1, 1, 0}), sets.list(), current, kNow);
  EXPECT_EQ(next.collision_count, 2);
  ASSERT_EQ(next.conditions.size(), 2U);
  EXPECT_EQ(next.conditions.begin()->type, "Foreign");
}

TEST(StatusPlanTest, AvailableKeepsItsTimesWhileItsReasonStands) {
  DeploymentStatus current;
  current.conditions.append(
      make_condition(kAvailable, "True", "MinimumReplicasAvailable", "old text", kEarlier));
  const Sets sets({{1, 1}});
  const DeploymentStatus next = plan_status(rolling({1, 1, 0}), sets.list(), current, kNow);
  EXPECT_EQ(next.conditions, current.conditions);
}

TEST(StatusPlanTest, D96OneSetThatDoesNotReportMakesTerminatingUnknown) {
  Sets sets({{1, 1}, {1, 1}});
  sets[0].terminating = 2;
  EXPECT_EQ(plan_status(rolling({1, 1, 0}), sets.list(), {}, kNow).terminating, std::nullopt);
  sets[1].observed_generation = 0;
  EXPECT_EQ(plan_status(rolling({1, 1, 0}), sets.list(), {}, kNow).terminating, 2)
      << "a set that no controller has seen yet has none";
}

TEST(StatusNewsTest, SameStatusIsNoNews) {
  const Sets sets({{1, 1}});
  const DeploymentStatus status = plan_status(rolling({1, 1, 0}), sets.list(), {}, kNow);
  EXPECT_FALSE(status_changed(status, status, sets.list()));
}

TEST(StatusNewsTest, LoneZeroOfTerminatingIsNoNewsWhereNothingProvesTheField) {
  Sets sets({}, Sets::New::kNone);
  const DeploymentStatus next = plan_status(rolling({1, 1, 0}), sets.list(), {}, kNow);
  DeploymentStatus stored = next;
  stored.terminating.reset();
  EXPECT_FALSE(status_changed(stored, next, sets.list()));
  stored.replicas = 7;
  EXPECT_TRUE(status_changed(stored, next, sets.list())) << "anything else is";
}

TEST(StatusNewsTest, ZeroOfTerminatingIsNewsWhereASetReportsIt) {
  Sets sets({{1, 1}});
  sets[0].terminating = 0;
  const DeploymentStatus next = plan_status(rolling({1, 1, 0}), sets.list(), {}, kNow);
  DeploymentStatus stored = next;
  stored.terminating.reset();
  EXPECT_TRUE(status_changed(stored, next, sets.list()));
}

}  // namespace
}  // namespace davit::deployment
