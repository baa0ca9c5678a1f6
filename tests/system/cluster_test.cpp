// All four plugins at once.
#include <gtest/gtest.h>

#include "tests/system/world.hpp"

namespace davit::test {
namespace {

WorldOptions everything() {
  WorldOptions out{.lease_period = std::chrono::seconds(10), .host = {}};
  out.host.controllers = {"deployment-controller", "replicaset-controller", "endpoints-controller",
                          "node-lifecycle-controller", "taint-eviction-controller"};
  return out;
}

void expose(World& world, const std::string& name) {
  world.send("POST", "/api/v1/namespaces/default/services",
             R"({"metadata":{"name":")" + name + R"(","labels":{"app":")" + name +
                 R"("}},"spec":{"selector":{"app":")" + name + R"("},"ports":[{"port":80}]}})");
}

std::size_t ready_addresses(const World& world, const std::string& name) {
  std::size_t out = 0;
  const sandbox::Json endpoints = world.record().find("Endpoints", name);
  for (const sandbox::Json& subset : endpoints.get("subsets").items()) {
    out += subset.get("addresses").items().size();
  }
  return out;
}

bool tainted(const World& world, const std::string& node) {
  const sandbox::Json object = world.record().find("Node", node);
  for (const sandbox::Json& taint : object.get("spec").get("taints").items()) {
    if (taint.text_at({"key"}) == "node.kubernetes.io/unreachable") return true;
  }
  return false;
}

void power(World& world, const std::string& node, const std::string& state) {
  world.send("PATCH", "/api/v1/nodes/" + node,
             R"({"metadata":{"annotations":{"sandbox.davit.dev/node":")" + state + R"("}}})");
}

/// A Service over pods that leave a dead node after five seconds; a node that dies and comes back.
void live(World& world) {
  expose(world, "web");
  world.deploy("web", 6);
  world.patch("web", R"({"spec":{"template":{"spec":{"tolerations":[
      {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute",
       "tolerationSeconds":5}]}}}})");
  world.await_rollout("web", 6);
  world.await("six addresses", [&] { return ready_addresses(world, "web") == 6; });

  power(world, "node-1", "stopped");
  world.await("the node is tainted", [&] { return tainted(world, "node-1"); });
  world.await("its pods are replaced and their addresses known", [&] {
    const sandbox::Json status = world.record().deployment("web").get("status");
    return status.get("availableReplicas").integer_or(0) == 6 && ready_addresses(world, "web") == 6;
  });

  power(world, "node-1", "running");
  world.await("the node is well", [&] { return !tainted(world, "node-1"); });
  world.set_image("web", "web:2");
  world.await_rollout("web", 6);
  world.await("six addresses", [&] { return ready_addresses(world, "web") == 6; });
  world.expect_order("web");
}

TEST(ClusterTest, DeadNodeIsReplacedAndComesBack) {
  World world(everything());
  live(world);
  world.expect_silence("web");
}

}  // namespace
}  // namespace davit::test
