// Class A of the regressions: stale caches, own writes not seen, duplicates.
#include <gtest/gtest.h>

#include <functional>

#include "tests/system/invariants.hpp"
#include "tests/system/regressions/naive.hpp"

namespace davit::test {
namespace {

constexpr char kPodsStall[] =
    R"({"fault":"hold","for":"12m","target":{"verb":"watch","resource":"pods"}})";

/// Three pods more are wanted while nothing is heard of pods for longer than the five minutes
/// after which upstream gives up waiting for its own creations.
std::size_t scale_while_deaf(World& world, const std::function<void()>& deafen) {
  world.deploy("web", 2);
  world.await_pods("web", 2);
  deafen();
  world.patch("web", R"({"spec":{"replicas":5}})");
  world.pass(std::chrono::minutes(13));
  return excess(world.record(), "web").size();
}

// kubernetes/kubernetes#129795
TEST(CacheRegressionTest, A1NoExtraPodsWhenTheWatchOfPodsStalls) {
  World world(1);
  EXPECT_EQ(scale_while_deaf(world, [&] { world.play(kPodsStall); }), 0U);
  world.heal();
  world.await_rollout("web", 5);
  world.expect_silence("web");
}

TEST(CacheRegressionTest, A1IsCaughtInAControllerThatForgetsWhatItMade) {
  World world(without_replica_sets());
  NaiveReplicaSets naive("web");
  world.employ(std::ref(naive));
  EXPECT_GT(
      scale_while_deaf(world, [&] { naive.stall(world.record().pods(), std::chrono::minutes(5)); }),
      0U);
}

// kubernetes/kubernetes#56714
std::size_t burst_while_late(World& world, const std::function<void()>& delay) {
  delay();
  world.deploy("web", 30);
  world.pass(std::chrono::seconds(20));
  return excess(world.record(), "web").size();
}

TEST(CacheRegressionTest, A2BurstWithALateWatchDoesNotOvershoot) {
  World world(1);
  EXPECT_EQ(burst_while_late(
                world,
                [&] {
                  world.play(
                      R"({"fault":"hold","for":"3s","target":{"verb":"watch","resource":"pods"}})");
                }),
            0U);
  world.await_rollout("web", 30);
}

TEST(CacheRegressionTest, A2IsCaughtInAControllerThatCountsOnlyWhatItSees) {
  World world(without_replica_sets());
  NaiveReplicaSets naive("web");
  naive.stall({}, std::chrono::seconds(5));
  world.employ(std::ref(naive));
  EXPECT_GT(burst_while_late(world, [] {}), 0U);
}

// kubernetes/kubernetes#19043, #21127
std::size_t restart_with_late_pods(World& world, const std::function<void()>& restart) {
  world.deploy("web", 4);
  world.await_pods("web", 4);
  world.pass(std::chrono::seconds(1));
  restart();
  world.pass(std::chrono::minutes(1));
  return excess(world.record(), "web").size();
}

TEST(CacheRegressionTest, A3NothingIsDoneBeforeEveryCacheIsFilled) {
  World world(1);
  host::Time restarted{};
  EXPECT_EQ(
      restart_with_late_pods(
          world,
          [&] {
            world.stop_host();
            world.play(
                R"({"fault":"delay","delay":"20s","target":{"verb":"list","resource":"pods"}})");
            world.play(
                R"({"fault":"hold","for":"20s","target":{"verb":"watch","resource":"pods"}})");
            restarted = world.clock().now();
            world.start_host();
          }),
      0U);
  EXPECT_TRUE(world.traffic().since(restarted).empty());
}

TEST(CacheRegressionTest, A3IsCaughtInAControllerThatBeginsWithAnEmptyCache) {
  World world(without_replica_sets());
  NaiveReplicaSets naive("web");
  world.employ(std::ref(naive));
  EXPECT_GT(restart_with_late_pods(world, [&] { naive.stall({}, std::chrono::minutes(5)); }), 0U);
}

// kubernetes/kubernetes#59848: a list at resource version 0 may come from a cache of the past.
TEST(CacheRegressionTest, A4RestartListsTheLatestState) {
  World world(1);
  world.deploy("web", 2);
  world.await_rollout("web", 2);
  world.pass(std::chrono::seconds(1));
  world.stop_host();
  const host::Time restarted = world.clock().now();
  world.start_host();
  world.pass(std::chrono::minutes(1));

  for (const Exchange& each : world.traffic().since(restarted, "GET")) {
    EXPECT_EQ(each.path.find("resourceVersion=0"), std::string::npos) << each.path;
  }
  EXPECT_TRUE(world.traffic().since(restarted).empty()) << "a restart changes nothing";
}

}  // namespace
}  // namespace davit::test
