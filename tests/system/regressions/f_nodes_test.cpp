// Class F of the regressions: nodes that are not heard of, and what is evicted then.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "tests/system/regressions/naive.hpp"
#include "tests/system/regressions/nodes.hpp"

namespace davit::test {
namespace {

using sandbox::Json;

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
std::size_t evicted_when_all_nodes_are_silent(World& world) {
  deploy_impatient(world);
  const sandbox::Revision before = world.record().revision();
  for (const char* node : {"node-1", "node-2", "node-3"}) switch_node(world, node, "stopped");
  world.pass(std::chrono::seconds(100));
  return pods_deleted_since(world, before);
}

TEST(NodesRegressionTest, F1NobodyIsEvictedWhenAllNodesAreSilent) {
  World world(with_nodes());
  EXPECT_EQ(evicted_when_all_nodes_are_silent(world), 0U);
}

TEST(NodesRegressionTest, F1IsCaughtInAControllerThatTaintsWhateverIsSilent) {
  World world(without_node_lifecycle());
  world.employ([](World& each) {
    for (const auto& [uid, node] : each.record().nodes()) {
      const std::string& name = node.text_at({"metadata", "name"});
      const Json* state = node.at({"metadata", "annotations", "sandbox.davit.dev/node"});
      if (state->text() == "stopped" && !is_tainted(each, name)) taint(each, name);
    }
  });
  EXPECT_GT(evicted_when_all_nodes_are_silent(world), 0U);
}

// kubernetes/kubernetes#85221, #121793: only the watch of Leases is dead, not the nodes.
std::size_t evicted_while_deaf(World& world, const std::function<void()>& deafen) {
  deploy_impatient(world);
  const sandbox::Revision before = world.record().revision();
  deafen();
  world.pass(std::chrono::seconds(120));
  return pods_deleted_since(world, before);
}

TEST(NodesRegressionTest, F2DeafWatchOfLeasesEvictsNobody) {
  World world(with_nodes());
  EXPECT_EQ(
      evicted_while_deaf(
          world,
          [&] {
            world.play(
                R"({"fault":"hold","for":"90s","target":{"verb":"watch","resource":"leases"}})");
          }),
      0U);
}

TEST(NodesRegressionTest, F2IsCaughtInAControllerThatTaintsWhomItDoesNotHear) {
  World world(without_node_lifecycle());
  const std::size_t evicted = evicted_while_deaf(world, [&] {
    const host::Time grace = world.clock().now() + std::chrono::seconds(50);
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
std::size_t evicted_after_recovery(World& world, const std::function<void()>& begin) {
  world.deploy("web", 3);
  world.await_rollout("web", 3);
  const sandbox::Revision before = world.record().revision();
  switch_node(world, "node-1", "stopped");
  world.await("it is tainted", [&] { return is_tainted(world, "node-1"); });
  begin();
  world.pass(std::chrono::minutes(1));
  switch_node(world, "node-1", "running");
  world.await("it is well", [&] { return !is_tainted(world, "node-1"); });
  world.pass(std::chrono::minutes(6));
  return pods_deleted_since(world, before);
}

TEST(NodesRegressionTest, F4EvictionIsCalledOff) {
  World world(quiet_nodes());
  EXPECT_EQ(evicted_after_recovery(world, [] {}), 0U);
}

TEST(NodesRegressionTest, F4IsCaughtInAControllerWhoseTimersRunOn) {
  World world(quiet_nodes());
  const std::size_t evicted = evicted_after_recovery(world, [&] {
    const host::Time due = world.clock().now() + std::chrono::minutes(5);
    world.employ([due, done = false](World& each) mutable {
      if (each.clock().now() < due || std::exchange(done, true)) return;
      for (const auto& [uid, pod] : live_pods(each, "web")) {
        if (pod.get("spec").text_at({"nodeName"}) != "node-1") continue;
        each.send("DELETE", "/api/v1/namespaces/default/pods/" + pod.text_at({"metadata", "name"}));
      }
    });
  });
  EXPECT_GT(evicted, 0U);
}

// kubernetes/kubernetes#119862, #139992: the pod is made anew elsewhere under its name, unheard.
// Whether that one stays when the time of the first is over.
bool fresh_pod_stays(World& world, const std::function<void()>& begin) {
  constexpr char kPods[] = "/api/v1/namespaces/default/pods";
  const auto on = [](const std::string& node) {
    return R"({"metadata":{"name":"db","labels":{"app":"web"}},"spec":{"nodeName":")" + node +
           R"(","containers":[{"name":"c","image":"web:1"}]}})";
  };
  world.send("POST", kPods, on("node-1"));
  world.await_pods("web", 1);
  switch_node(world, "node-1", "stopped");
  world.await("it is tainted", [&] { return is_tainted(world, "node-1"); });
  world.pass(std::chrono::seconds(60));
  begin();
  world.send("DELETE", std::string(kPods) + "/db?gracePeriodSeconds=0");
  world.send("POST", kPods, on("node-2"));
  world.pass(std::chrono::minutes(6));
  return live_pods(world, "web").size() == 1;
}

TEST(NodesRegressionTest, F4FreshPodOfTheNameStays) {
  World world(quiet_nodes());
  EXPECT_TRUE(fresh_pod_stays(world, [&] {
    world.play(R"({"fault":"hold","for":"5m","target":{"verb":"watch","resource":"pods"}})");
  }));
}

TEST(NodesRegressionTest, F4IsCaughtInAControllerWhoseTimersGoByName) {
  World world(quiet_nodes());
  EXPECT_FALSE(fresh_pod_stays(world, [&] {
    const host::Time due = world.clock().now() + std::chrono::minutes(4);
    world.employ([due, done = false](World& each) mutable {
      if (each.clock().now() < due || std::exchange(done, true)) return;
      each.send("DELETE", "/api/v1/namespaces/default/pods/db");
    });
  }));
}

}  // namespace
}  // namespace davit::test
