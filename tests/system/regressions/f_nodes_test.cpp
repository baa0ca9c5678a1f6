// Class F of the regressions: nodes that are not heard of, and what is evicted then.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tests/system/regressions/naive.hpp"

namespace davit::test {
namespace {

using sandbox::Json;

WorldOptions with_nodes() {
  WorldOptions out{.lease_period = std::chrono::seconds(10), .host = {}};
  out.host.controllers = {"deployment-controller", "replicaset-controller",
                          "node-lifecycle-controller", "taint-eviction-controller"};
  return out;
}

/// Pods that leave a dead node after five seconds.
void deploy_impatient(World& world) {
  world.deploy("web", 3);
  world.patch("web", R"({"spec":{"template":{"spec":{"tolerations":[
      {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute",
       "tolerationSeconds":5},
      {"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",
       "tolerationSeconds":5}]}}}})");
  world.await_rollout("web", 3);
}

void switch_node(World& world, const std::string& node, const std::string& state) {
  world.send("PATCH", "/api/v1/nodes/" + node,
             R"({"metadata":{"annotations":{"sandbox.davit.dev/node":")" + state + R"("}}})");
}

std::size_t pods_deleted_since(const World& world, sandbox::Revision revision) {
  std::size_t out = 0;
  for (const Step& step : world.record().steps()) {
    const bool leaves = step.deleted || step.object.get("metadata").contains("deletionTimestamp");
    if (step.kind == "Pod" && step.revision > revision && leaves) ++out;
  }
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
  WorldOptions options = with_nodes();
  options.host.controllers = {"deployment-controller", "replicaset-controller",
                              "taint-eviction-controller"};
  World world(options);
  world.employ([](World& each) {
    for (const auto& [uid, node] : each.record().nodes()) {
      const Json* state = node.at({"metadata", "annotations", "sandbox.davit.dev/node"});
      if (state->text() != "stopped" || !node.get("spec").get("taints").items().empty()) continue;
      each.send("PATCH", "/api/v1/nodes/" + node.text_at({"metadata", "name"}),
                R"({"spec":{"taints":[{"key":"node.kubernetes.io/unreachable",)"
                R"("effect":"NoExecute"}]}})");
    }
  });
  EXPECT_GT(evicted_when_all_nodes_are_silent(world), 0U);
}

// kubernetes/kubernetes#90794: one dead node's pods move; when it is back in time they stay.
TEST(NodesRegressionTest, F4EvictionIsCalledOff) {
  World world(with_nodes());
  world.deploy("web", 3);
  world.await_rollout("web", 3);
  const sandbox::Revision before = world.record().revision();
  switch_node(world, "node-1", "stopped");
  world.await("it is tainted", [&] {
    return !world.record().find("Node", "node-1").get("spec").get("taints").items().empty();
  });
  switch_node(world, "node-1", "running");
  world.await("it is well", [&] {
    return world.record().find("Node", "node-1").get("spec").get("taints").items().empty();
  });
  world.pass(std::chrono::minutes(1));
  EXPECT_EQ(pods_deleted_since(world, before), 0U);
}

// kubernetes/kubernetes#85221, #121793: only the watch of Leases is dead, not the nodes.
TEST(NodesRegressionTest, F2DeafWatchOfLeasesEvictsNobody) {
  World world(with_nodes());
  deploy_impatient(world);
  const sandbox::Revision before = world.record().revision();
  world.play(R"({"fault":"hold","for":"90s","target":{"verb":"watch","resource":"leases"}})");
  world.pass(std::chrono::seconds(120));
  EXPECT_EQ(pods_deleted_since(world, before), 0U);
}

}  // namespace
}  // namespace davit::test
