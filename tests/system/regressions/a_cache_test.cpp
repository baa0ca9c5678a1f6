// Class A of the regressions: stale caches, own writes not seen, duplicates.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/system/invariants.hpp"
#include "tests/system/regressions/worlds.hpp"

namespace davit::test {
namespace {

constexpr char kSets[] = "/apis/apps/v1/namespaces/default/replicasets";
// kubernetes/kubernetes#129795: three pods more are wanted while nothing is heard of pods for
// longer than the five minutes after which upstream gives up waiting for its own creations.
TEST(CacheRegressionTest, A1NoExtraPodsWhenTheWatchOfPodsStalls) {
  World world(1);
  world.deploy("web", 2);
  world.await_pods("web", 2);
  world.play(R"({"fault":"hold","for":"12m","target":{"verb":"watch","resource":"pods"}})");
  world.patch("web", R"({"spec":{"replicas":5}})");
  world.pass(std::chrono::minutes(13));
  EXPECT_EQ(excess(world.record(), "web").size(), 0U);
  world.heal();
  world.await_rollout("web", 5);
  world.expect_silence("web");
}

// kubernetes/kubernetes#56714
TEST(CacheRegressionTest, A2BurstWithALateWatchDoesNotOvershoot) {
  World world(1);
  world.play(R"({"fault":"hold","for":"3s","target":{"verb":"watch","resource":"pods"}})");
  world.deploy("web", 30);
  world.pass(std::chrono::seconds(20));
  EXPECT_EQ(excess(world.record(), "web").size(), 0U);
  world.await_rollout("web", 30);
}

// kubernetes/kubernetes#19043, #21127
TEST(CacheRegressionTest, A3NothingIsDoneBeforeEveryCacheIsFilled) {
  World world(1);
  world.deploy("web", 4);
  world.await_pods("web", 4);
  world.pass(std::chrono::seconds(1));
  world.stop_host();
  world.play(R"({"fault":"delay","delay":"20s","target":{"verb":"list","resource":"pods"}})");
  world.play(R"({"fault":"hold","for":"20s","target":{"verb":"watch","resource":"pods"}})");
  const Time restarted = world.clock().now();
  world.start_host();
  world.pass(std::chrono::minutes(1));

  EXPECT_EQ(excess(world.record(), "web").size(), 0U);
  EXPECT_TRUE(world.traffic().since(restarted).empty());
}

// kubernetes/kubernetes#59848: a list at resource version 0 may come from a cache of the past.
TEST(CacheRegressionTest, A4RestartListsTheLatestState) {
  World world(1);
  world.deploy("web", 2);
  world.await_rollout("web", 2);
  world.pass(std::chrono::seconds(1));
  world.stop_host();
  const Time restarted = world.clock().now();
  world.start_host();
  world.pass(std::chrono::minutes(1));

  EXPECT_FALSE(world.traffic().since(restarted, "GET", "/pods").empty());
  for (const RecordedRequest& each : world.traffic().since(restarted, "GET")) {
    EXPECT_EQ(each.path.find("resourceVersion=0"), std::string::npos) << each.path;
  }
  EXPECT_TRUE(world.traffic().since(restarted).empty()) << "a restart changes nothing";
}

// kubernetes/kubernetes#130767: changes come faster than they can be dealt with. The sizes that the
// ReplicaSet gets while its Deployment changes thirty times and each write takes twenty seconds.
std::vector<std::int64_t> sizes_under_load(World& world, const std::function<void()>& begin) {
  world.deploy("web", 1);
  world.await_pods("web", 1);
  world.pass(std::chrono::seconds(1));
  begin();
  const sandbox::Revision before = world.record().revision();
  for (int replicas = 2; replicas < 30; ++replicas) {
    world.patch("web", R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}");
    world.pass(std::chrono::milliseconds(100));
  }
  world.patch("web", R"({"spec":{"replicas":3}})");
  // In steps, or what has no timer of its own would look at the world once only.
  for (int i = 0; i < 12; ++i) world.pass(std::chrono::seconds(10));
  std::vector<std::int64_t> sizes;
  for (const Step& step : world.record().steps()) {
    if (step.kind != "ReplicaSet" || step.revision <= before) continue;
    const std::int64_t size = step.object.get("spec").get("replicas").integer_or(0);
    if (sizes.empty() || sizes.back() != size) sizes.push_back(size);
  }
  return sizes;
}

TEST(CacheRegressionTest, A5SlowWritesDoNotLetTheCacheFallBehind) {
  World world(1);
  const std::vector<std::int64_t> sizes = sizes_under_load(world, [&] {
    world.play(R"({"fault":"delay","delay":"20s",
                   "target":{"verb":["update","patch"],"resource":"replicasets.apps"}})");
  });
  EXPECT_LE(sizes.size(), 3U) << "what it was in between is nobody's business any more";
  EXPECT_EQ(sizes.back(), 3);
}

TEST(CacheRegressionTest, A5IsCaughtInAControllerThatWorksThroughAllEvents) {
  World world(1);
  std::size_t done = 0;
  Time next{};
  const std::vector<std::int64_t> sizes = sizes_under_load(world, [&] {
    world.stop_host();
    done = world.record().steps().size();
    world.employ([&done, &next](World& each) {
      const std::vector<Step> steps = each.record().steps();
      for (; done < steps.size() && each.clock().now() >= next; ++done) {
        if (steps[done].kind != "Deployment") continue;
        next = each.clock().now() + std::chrono::seconds(20);
        const Json set = each.record().replica_sets().begin()->second;
        each.send("PATCH", std::string(kSets) + "/" + set.text_at({"metadata", "name"}),
                  R"({"spec":{"replicas":)" +
                      to_text(steps[done].object.get("spec").get("replicas")) + "}}");
      }
    });
  });
  EXPECT_GT(sizes.size(), 3U);
}

// elastic/cloud-on-k8s#4956, ray-project/kuberay#715, ai-dynamo/grove#122, cluster-api#13649: what
// it made itself is not in the cache yet, and is made again.
std::size_t sets_while_stalled(World& world, const std::function<void()>& stall) {
  world.deploy("web", 2);
  world.await_pods("web", 2);
  stall();
  world.set_image("web", "web:2");
  world.pass(std::chrono::minutes(13));
  return world.record().replica_sets().size();
}

TEST(CacheRegressionTest, A7OwnReplicaSetThatIsNotSeenYetIsNotMadeTwice) {
  World world(1);
  EXPECT_EQ(sets_while_stalled(world,
                               [&] {
                                 world.play(R"({"fault":"hold","for":"12m",
                                  "target":{"verb":"watch","resource":"replicasets.apps"}})");
                               }),
            2U);
  world.heal();
  world.await_rollout("web", 2);
}

TEST(CacheRegressionTest, A7IsCaughtInAControllerThatLooksForItsOwnInTheCache) {
  World world(1);
  EXPECT_GT(sets_while_stalled(world,
                               [&] {
                                 world.stop_host();
                                 world.employ([next = Time{}](World& each) mutable {
                                   if (each.clock().now() < next) return;
                                   next = each.clock().now() + std::chrono::minutes(5);
                                   Json set = each.record().replica_sets().begin()->second;
                                   for (const char* member : {"uid", "name", "resourceVersion"}) {
                                     set["metadata"].erase(member);
                                   }
                                   set["metadata"]["generateName"] = "web-";
                                   each.send("POST", kSets, to_text(set));
                                 });
                               }),
            2U);
}

}  // namespace
}  // namespace davit::test
