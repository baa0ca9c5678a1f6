// Class F of the regressions: nodes that are not heard of, and what is evicted then.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "tests/system/regressions/nodes.hpp"
#include "tests/system/regressions/worlds.hpp"

namespace davit::test {
namespace {

/// For tests that take minutes.
WorldOptions quiet_nodes() {
  WorldOptions out = with_nodes();
  out.lease_period = std::chrono::seconds(20);
  return out;
}

WorldOptions without_node_lifecycle() {
  WorldOptions out = with_nodes();
  out.host.controllers = {"deployment-controller", "replicaset-controller",
                          "taint-eviction-controller"};
  return out;
}

// kubernetes/kubernetes#19124, #20640, #24597, #28832
TEST(NodesRegressionTest, F1NoPodIsEvictedWhenAllNodesAreSilent) {
  World world(with_nodes());
  deploy_impatient(world);
  const sandbox::Revision before = world.record().revision();
  for (const char* node : {"node-1", "node-2", "node-3"}) switch_node(world, node, "stopped");
  world.pass(std::chrono::seconds(100));
  EXPECT_EQ(pods_deleted_since(world, before), 0U);
}

// kubernetes/kubernetes#85221, #121793: only the watch of Leases is dead, not the nodes.
std::size_t evicted_while_stalled(World& world, const std::function<void()>& stall) {
  deploy_impatient(world);
  const sandbox::Revision before = world.record().revision();
  stall();
  world.pass(std::chrono::seconds(120));
  return pods_deleted_since(world, before);
}

TEST(NodesRegressionTest, F2StalledWatchOfLeasesEvictsNoPod) {
  World world(with_nodes());
  const std::size_t evicted = evicted_while_stalled(world, [&] {
    world.play(R"({"fault":"hold","for":"90s","target":{"verb":"watch","resource":"leases"}})");
  });
  EXPECT_EQ(evicted, 0U);
  for (const Step& step : world.record().steps()) {
    EXPECT_FALSE(step.kind == "Node" && readiness(step.object) == "Unknown")
        << step.object.text_at({"metadata", "name"});
  }
}

TEST(NodesRegressionTest, F2IsCaughtInAControllerThatTaintsSilentNodes) {
  World world(without_node_lifecycle());
  const std::size_t evicted = evicted_while_stalled(world, [&] {
    const Time grace = world.clock().now() + std::chrono::seconds(50);
    world.employ([grace](World& each) {
      if (each.clock().now() < grace) return;
      for (const char* node : {"node-1", "node-2", "node-3"}) {
        if (!is_tainted(each, node)) taint(each, node);
      }
    });
  });
  EXPECT_GT(evicted, 0U);
}

// kubernetes/kubernetes#90794: a dead node is back before its pods' five minutes are over.
TEST(NodesRegressionTest, F4EvictionIsCalledOff) {
  World world(quiet_nodes());
  world.deploy("web", 3);
  world.await_rollout("web", 3);
  const sandbox::Revision before = world.record().revision();
  switch_node(world, "node-1", "stopped");
  world.await("it is tainted", [&] { return is_tainted(world, "node-1"); });
  world.pass(std::chrono::minutes(1));
  switch_node(world, "node-1", "running");
  world.await("it is well", [&] { return !is_tainted(world, "node-1"); });
  world.pass(std::chrono::minutes(6));
  EXPECT_EQ(pods_deleted_since(world, before), 0U);
}

// kubernetes/kubernetes#119862, #139992: the pod is recreated elsewhere under its name, unheard.
// That one stays when the time of the first is over.
TEST(NodesRegressionTest, F4FreshPodOfTheNameStays) {
  constexpr char kPods[] = "/api/v1/namespaces/default/pods";
  const auto on = [](const std::string& node) {
    return R"({"metadata":{"name":"db","labels":{"app":"web"}},"spec":{"nodeName":")" + node +
           R"(","containers":[{"name":"c","image":"web:1"}]}})";
  };
  World world(quiet_nodes());
  world.send("POST", kPods, on("node-1"));
  world.await_pods("web", 1);
  switch_node(world, "node-1", "stopped");
  world.await("it is tainted", [&] { return is_tainted(world, "node-1"); });
  world.pass(std::chrono::seconds(60));
  world.play(R"({"fault":"hold","for":"5m","target":{"verb":"watch","resource":"pods"}})");
  world.send("DELETE", std::string(kPods) + "/db?gracePeriodSeconds=0");
  world.send("POST", kPods, on("node-2"));
  world.pass(std::chrono::minutes(6));
  EXPECT_EQ(live_pods(world, "web").size(), 1U);
}

}  // namespace
}  // namespace davit::test
