#include "tests/system/regressions/nodes.hpp"

namespace davit::test {

WorldOptions with_nodes() {
  WorldOptions out{.lease_period = std::chrono::seconds(10), .host = {}};
  out.host.controllers = {"deployment-controller", "replicaset-controller",
                          "node-lifecycle-controller", "taint-eviction-controller"};
  return out;
}

void deploy_impatient(World& world, std::chrono::seconds tolerated) {
  const auto tolerates = [tolerated](const std::string& key) {
    return R"({"key":"node.kubernetes.io/)" + key +
           R"(","operator":"Exists","effect":"NoExecute","tolerationSeconds":)" +
           std::to_string(tolerated.count()) + "}";
  };
  world.deploy("web", 3);
  world.patch("web", R"({"spec":{"template":{"spec":{"tolerations":[)" + tolerates("unreachable") +
                         "," + tolerates("not-ready") + "]}}}}");
  world.await_rollout("web", 3);
}

void switch_node(World& world, const std::string& node, const std::string& state) {
  world.send("PATCH", "/api/v1/nodes/" + node,
             R"({"metadata":{"annotations":{"sandbox.davit.dev/node":")" + state + R"("}}})");
}

void taint(World& world, const std::string& node) {
  world.send("PATCH", "/api/v1/nodes/" + node,
             R"({"spec":{"taints":[{"key":"node.kubernetes.io/unreachable",)"
             R"("effect":"NoExecute"}]}})");
}

bool is_tainted(const World& world, const std::string& node) {
  return !world.record().find("Node", node).get("spec").get("taints").items().empty();
}

std::string readiness(const Json& object) {
  for (const Json& each : object.get("status").get("conditions").items()) {
    if (each.text_at({"type"}) == "Ready") return each.text_at({"status"});
  }
  return "";
}

void await_unknown(World& world, const std::string& node) {
  world.await(node + " is taken for dead", [&world, &node] {
    return readiness(world.record().find("Node", node)) == "Unknown";
  });
}

std::size_t pods_deleted_since(const World& world, sandbox::Revision revision) {
  std::size_t out = 0;
  for (const Step& step : world.record().steps()) {
    const bool leaves = step.deleted || step.object.get("metadata").contains("deletionTimestamp");
    if (step.kind == "Pod" && step.revision > revision && leaves) ++out;
  }
  return out;
}

}  // namespace davit::test
