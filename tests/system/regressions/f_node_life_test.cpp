// Class F of the regressions, continued, and what concerns nodes of class A: how a node's death is
// noticed and reported, and a name that is used twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "tests/system/regressions/nodes.hpp"
#include "tests/system/regressions/worlds.hpp"

namespace davit::test {
namespace {

constexpr char kUnknown[] =
    R"({"status":{"conditions":[{"type":"Ready","status":"Unknown",
        "reason":"NodeStatusUnknown"}]}})";

void write_unknown(World& world, const std::string& node) {
  world.send("PATCH", "/api/v1/nodes/" + node + "/status", kUnknown);
}

bool was_unknown_since(const World& world, const std::string& node, sandbox::Revision revision) {
  for (const Step& step : world.record().steps()) {
    if (step.revision > revision && step.kind == "Node" &&
        step.object.text_at({"metadata", "name"}) == node && readiness(step.object) == "Unknown") {
      return true;
    }
  }
  return false;
}

// kubernetes/kubernetes#128643: a live node that reports is not given up by a controller that
// has not heard of it for long.
TEST(NodeLifeRegressionTest, A6HealthIsNotWrittenFromStaleData) {
  World world(with_nodes());
  world.pass(std::chrono::minutes(1));
  const sandbox::Revision before = world.record().revision();
  world.play(R"({"fault":"hold","for":"80s","target":{"verb":"watch",
                 "resource":["nodes","leases"]}})");
  world.pass(std::chrono::seconds(20));
  switch_node(world, "node-1", "not-ready");
  world.pass(std::chrono::seconds(5));
  switch_node(world, "node-1", "running");
  world.pass(std::chrono::minutes(2));
  EXPECT_FALSE(was_unknown_since(world, "node-1", before));
}

/// Pods "web" that are Ready although their node is dead.
std::size_t ready_on(const World& world, const std::string& node) {
  std::size_t out = 0;
  for (const auto& [uid, pod] : live_pods(world, "web")) {
    out += pod.get("spec").text_at({"nodeName"}) == node && readiness(pod) == "True" ? 1 : 0;
  }
  return out;
}

// kubernetes/kubernetes#50067, #135205: who marks the pods of a dead node ends before they are
// marked.
TEST(NodeLifeRegressionTest, F3PodsOfADeadNodeAreMarkedAfterACrash) {
  World world(with_nodes());
  world.deploy("web", 6);
  world.await_rollout("web", 6);
  world.play(R"({"fault":"status","code":500,"target":{"resource":"pods/status"}})");
  switch_node(world, "node-1", "stopped");
  await_unknown(world, "node-1");
  EXPECT_GT(ready_on(world, "node-1"), 0U);
  world.stop_host();
  world.heal();
  world.start_host();
  world.pass(std::chrono::minutes(2));
  EXPECT_EQ(ready_on(world, "node-1"), 0U);
}

// kubernetes/kubernetes#29522, #39893, #55091, #132182, #141365: how long a new machine has under
// the name of one that died.
Duration time_for_namesake(World& world, const std::function<void()>& begin) {
  switch_node(world, "node-1", "stopped");
  world.pass(std::chrono::seconds(30));
  world.send("DELETE", "/api/v1/nodes/node-1");
  world.pass(std::chrono::seconds(15));
  begin();
  const Time made = world.clock().now();
  world.send("POST", "/api/v1/nodes", R"({"metadata":{"name":"node-1"}})");
  await_unknown(world, "node-1");
  return world.clock().now() - made;
}

TEST(NodeLifeRegressionTest, F5NewMachineHasItsTimeWhateverBecameOfItsNamesake) {
  World world(with_nodes());
  EXPECT_GE(time_for_namesake(world, [] {}), std::chrono::seconds(60));
  EXPECT_LE(world.log().count("E "), 0U);
}

TEST(NodeLifeRegressionTest, F5IsCaughtInAControllerThatRemembersByName) {
  World world(with_nodes());
  const Time grace = world.clock().now() + std::chrono::seconds(60);
  EXPECT_LT(time_for_namesake(world,
                              [&] {
                                world.stop_host();
                                world.employ([grace](World& each) {
                                  const Json node = each.record().find("Node", "node-1");
                                  if (each.clock().now() < grace || readiness(node) != "" ||
                                      node.is_null()) {
                                    return;
                                  }
                                  write_unknown(each, "node-1");
                                });
                              }),
            std::chrono::seconds(60));
}

// kubernetes/kubernetes#110341, #114295: six nodes die, and each response takes five seconds.
// The pass writes for all that fell silent at once: a grace, a period and one response, and another
// answer for those that fell silent a moment later. One by one they would take 70 s.
constexpr Duration kAllUnknown = std::chrono::seconds(60);

TEST(NodeLifeRegressionTest, F6SlowServerDoesNotDelayThePass) {
  WorldOptions options = with_nodes();
  options.nodes = 9;
  World world(options);
  const std::set<std::string> dead = {"node-1", "node-2", "node-3", "node-4", "node-5", "node-6"};
  world.pass(std::chrono::minutes(1));
  world.play(R"({"fault":"delay","delay":"5s","target":{"verb":["patch","update"]}})");
  for (const std::string& each : dead) switch_node(world, each, "stopped");
  EXPECT_TRUE(world.reach(kAllUnknown, [&] {
    return std::ranges::all_of(dead, [&](const std::string& each) {
      return readiness(world.record().find("Node", each)) == "Unknown";
    });
  }));
}

// kubernetes/kubernetes#52657: what is in somebody's queues after nodes and pods have come and gone
// and nothing is left to do.
std::size_t queued_in_the_end(World& world, const std::function<std::size_t()>& queued) {
  for (int i = 0; i < 5; ++i) {
    const std::string number = std::to_string(i);
    world.send("POST", "/api/v1/nodes",
               R"({"metadata":{"name":"brief-)" + number +
                   R"("},"spec":{"taints":[{"key":"node.kubernetes.io/unreachable",)"
                   R"("effect":"NoExecute"}]}})");
    world.send("POST", "/api/v1/namespaces/default/pods",
               R"({"metadata":{"name":"brief-)" + number + R"("},"spec":{"nodeName":"brief-)" +
                   number + R"(","containers":[{"name":"c","image":"web:1"}],"tolerations":[
                       {"operator":"Exists","effect":"NoExecute","tolerationSeconds":30}]}})");
    world.pass(std::chrono::seconds(10));
    world.send("DELETE",
               "/api/v1/namespaces/default/pods/brief-" + number + "?gracePeriodSeconds=0");
    world.send("DELETE", "/api/v1/nodes/brief-" + number);
  }
  world.pass(std::chrono::minutes(1));
  return queued();
}

TEST(NodeLifeRegressionTest, F7QueuesForgetWhatIsGone) {
  World world(with_nodes());
  EXPECT_EQ(queued_in_the_end(world, [&] { return world.waiting(); }), 0U);
}

TEST(NodeLifeRegressionTest, F7IsCaughtInAQueueOfWhatIsYetToBeSeenWell) {
  World world(with_nodes());
  std::set<std::string> queue;
  world.employ([&queue](World& each) {
    for (const auto& [uid, node] : each.record().nodes()) {
      if (readiness(node) == "True") {
        queue.erase(uid);
      } else {
        queue.insert(uid);
      }
    }
  });
  EXPECT_GT(queued_in_the_end(world, [&] { return queue.size(); }), 0U);
}

}  // namespace
}  // namespace davit::test
