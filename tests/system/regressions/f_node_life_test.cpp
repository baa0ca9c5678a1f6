// Class F of the regressions, continued, and what concerns nodes of class A: how a node's death is
// noticed and told, and a name that is used twice.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "tests/system/regressions/naive.hpp"
#include "tests/system/regressions/nodes.hpp"

namespace davit::test {
namespace {

using sandbox::Json;

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

// kubernetes/kubernetes#128643: whether a node that lives and says so is written off by somebody
// who has not heard of it for long.
bool is_written_off(World& world, const std::function<void()>& deafen) {
  world.pass(std::chrono::minutes(1));
  const sandbox::Revision before = world.record().revision();
  deafen();
  world.pass(std::chrono::seconds(20));
  switch_node(world, "node-1", "not-ready");
  world.pass(std::chrono::seconds(5));
  switch_node(world, "node-1", "running");
  world.pass(std::chrono::minutes(2));
  return was_unknown_since(world, "node-1", before);
}

TEST(NodeLifeRegressionTest, A6HealthIsNotWrittenFromStaleData) {
  World world(with_nodes());
  EXPECT_FALSE(is_written_off(world, [&] {
    world.play(R"({"fault":"hold","for":"80s","target":{"verb":"watch",
                   "resource":["nodes","leases"]}})");
  }));
}

TEST(NodeLifeRegressionTest, A6IsCaughtInAControllerThatTrustsItsCache) {
  World world(with_nodes());
  EXPECT_TRUE(is_written_off(world, [&] {
    world.stop_host();
    const host::Time grace = world.clock().now() + std::chrono::seconds(50);
    world.employ([grace, done = false](World& each) mutable {
      if (each.clock().now() >= grace && !std::exchange(done, true)) write_unknown(each, "node-1");
    });
  }));
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
std::size_t ready_after_crash(World& world, const std::function<void()>& restart) {
  world.deploy("web", 6);
  world.await_rollout("web", 6);
  world.play(R"({"fault":"status","code":500,"target":{"resource":"pods/status"}})");
  switch_node(world, "node-1", "stopped");
  await_unknown(world, "node-1");
  EXPECT_GT(ready_on(world, "node-1"), 0U);
  restart();
  world.pass(std::chrono::minutes(2));
  return ready_on(world, "node-1");
}

TEST(NodeLifeRegressionTest, F3PodsOfADeadNodeAreMarkedAfterACrash) {
  World world(with_nodes());
  EXPECT_EQ(ready_after_crash(world,
                              [&] {
                                world.stop_host();
                                world.heal();
                                world.start_host();
                              }),
            0U);
}

TEST(NodeLifeRegressionTest, F3IsCaughtInAControllerThatMarksThemOnce) {
  World world(with_nodes());
  // What it had to do, it did when the node fell silent.
  EXPECT_GT(ready_after_crash(world, [&] { world.stop_host(); }), 0U);
}

// kubernetes/kubernetes#29522, #39893, #55091, #132182, #141365: how long a new machine has under
// the name of one that died.
host::Duration time_for_namesake(World& world, const std::function<void()>& begin) {
  switch_node(world, "node-1", "stopped");
  world.pass(std::chrono::seconds(30));
  world.send("DELETE", "/api/v1/nodes/node-1");
  world.pass(std::chrono::seconds(15));
  begin();
  const host::Time made = world.clock().now();
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
  const host::Time grace = world.clock().now() + std::chrono::seconds(60);
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

// kubernetes/kubernetes#110341, #114295: six nodes die, and each answer takes five seconds.
host::Duration time_until_all_are_unknown(World& world, const std::function<void()>& begin) {
  const std::set<std::string> dead = {"node-1", "node-2", "node-3", "node-4", "node-5", "node-6"};
  world.pass(std::chrono::minutes(1));
  begin();
  const host::Time died = world.clock().now();
  for (const std::string& each : dead) switch_node(world, each, "stopped");
  for (const std::string& each : dead) await_unknown(world, each);
  return world.clock().now() - died;
}

WorldOptions nine_nodes() {
  WorldOptions out = with_nodes();
  out.nodes = 9;
  return out;
}

/// Grace and a period, and the writes for those that fell silent a moment before: their status,
/// and the taints of one.
constexpr host::Duration kAllUnknown = std::chrono::seconds(75);

TEST(NodeLifeRegressionTest, F6SlowServerDoesNotHoldUpThePass) {
  World world(nine_nodes());
  EXPECT_LE(time_until_all_are_unknown(
                world,
                [&] { world.play(R"({"fault":"delay","delay":"5s","target":{"verb":"patch"}})"); }),
            kAllUnknown);
}

TEST(NodeLifeRegressionTest, F6IsCaughtInAControllerThatWaitsForEachAnswer) {
  World world(nine_nodes());
  const host::Duration time = time_until_all_are_unknown(world, [&] {
    world.stop_host();
    host::Time next = world.clock().now() + std::chrono::seconds(50);
    world.employ([next](World& each) mutable {
      if (each.clock().now() < next) return;
      for (const auto& [uid, node] : each.record().nodes()) {
        const Json* power = node.at({"metadata", "annotations", "sandbox.davit.dev/node"});
        if (power->text() != "stopped" || readiness(node) == "Unknown") continue;
        write_unknown(each, node.text_at({"metadata", "name"}));
        next = each.clock().now() + 2 * std::chrono::seconds(5);  // It reads and writes.
        return;
      }
    });
  });
  EXPECT_GT(time, kAllUnknown);
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
