// Class D of the regressions: ReplicaSets.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "tests/system/invariants.hpp"
#include "tests/system/regressions/nodes.hpp"
#include "tests/system/regressions/worlds.hpp"

namespace davit::test {
namespace {

/// A kubelet that takes no pod.
void reject_all(World& world) {
  for (const auto& [uid, pod] : world.record().pods()) {
    const std::string& phase = pod.text_at({"status", "phase"});
    if (phase == "Failed" || pod.get("metadata").contains("deletionTimestamp")) continue;
    world.send("PATCH",
               "/api/v1/namespaces/default/pods/" + pod.text_at({"metadata", "name"}) + "/status",
               R"({"status":{"phase":"Failed","reason":"OutOfcpu"}})");
  }
}

// kubernetes/kubernetes#72593, #89007, #106419: as upstream, each rejected pod is replaced at once;
// what keeps that from becoming a loop without limit is the client's rate, 20 a second.
constexpr std::size_t kBurst = 30;
constexpr std::size_t kPerSecond = 20;

TEST(ReplicaSetRegressionTest, D1RejectedPodsAreReplacedNoFasterThanTheClientMay) {
  World world(1);
  world.employ(&reject_all);
  const Time began = world.clock().now();
  world.deploy("web", 10);
  world.pass(std::chrono::seconds(3));
  // Those of two controllers, each with a client of its own; events have another.
  std::vector<RecordedRequest> writes = world.traffic().since(began);
  std::erase_if(writes, [](const RecordedRequest& each) { return each.path.ends_with("/events"); });
  EXPECT_GT(writes.size(), kBurst);
  EXPECT_LE(writes.size(), 2 * (kBurst + 3 * kPerSecond));
}

/// No count is below zero, and none of a part is above that of the whole.
bool counts_are_sound(const Json& status) {
  const auto count = [&](const char* name) { return status.get(name).integer_or(0); };
  const std::int64_t replicas = count("replicas");
  const std::int64_t ready = count("readyReplicas");
  const std::int64_t available = count("availableReplicas");
  return 0 <= available && available <= ready && ready <= replicas &&
         count("unavailableReplicas") >= 0 && count("updatedReplicas") >= 0 &&
         count("updatedReplicas") <= replicas;
}

// kubernetes/kubernetes#41697: a Deployment that is smaller already, and a ReplicaSet whose status
// is older.
TEST(ReplicaSetRegressionTest, D2CountsStaySoundWhenScaledDown) {
  World world(1);
  world.deploy("web", 6);
  world.await_rollout("web", 6);
  const Time scaled = world.clock().now();
  world.play(R"({"fault":"delay","delay":"5s","target":{"resource":"replicasets.apps/status"}})");
  world.patch("web", R"({"spec":{"replicas":1}})");
  world.await_rollout("web", 1);
  for (const Step& step : world.record().steps()) {
    EXPECT_TRUE(counts_are_sound(step.object.get("status"))) << to_text(step.object);
  }
  for (const RecordedRequest& each : world.traffic().since(scaled, "", "/status")) {
    EXPECT_LT(each.status, 300) << each.path << ": the server refuses counts below zero";
  }
}

// kubernetes/kubernetes#138719: how many pods work after one of three is too many and one of three
// nodes is dead. As upstream, the node is not looked at, but the readiness of its pods, which the
// node lifecycle controller takes away.
std::size_t left_after_scale_down(World& world, const std::function<void()>& begin) {
  world.deploy("web", 3);
  world.await_rollout("web", 3);
  switch_node(world, "node-1", "stopped");
  await_unknown(world, "node-1");
  world.pass(std::chrono::seconds(1));
  begin();
  world.patch("web", R"({"spec":{"replicas":2}})");
  world.pass(std::chrono::seconds(30));
  return ready_pods(world.record(), "web");
}

TEST(ReplicaSetRegressionTest, D3PodOfADeadNodeGoesFirst) {
  World world(with_nodes());
  EXPECT_EQ(left_after_scale_down(world, [] {}), 2U);
}

TEST(ReplicaSetRegressionTest, D3IsCaughtInAControllerThatTakesAnyPod) {
  World world(with_nodes());
  const std::size_t left = left_after_scale_down(world, [&] {
    world.stop_host();
    world.employ([](World& each) {
      const Json wanted = each.record().deployment("web").get("spec").get("replicas");
      const Record::Objects pods = live_pods(each, "web");
      if (static_cast<std::int64_t>(pods.size()) <= wanted.integer_or(0)) return;
      const auto any = std::ranges::max_element(
          pods, {}, [](const auto& pod) { return pod.second.get("spec").text_at({"nodeName"}); });
      each.send("DELETE",
                "/api/v1/namespaces/default/pods/" + any->second.text_at({"metadata", "name"}));
    });
  });
  EXPECT_LT(left, 2U);
}

}  // namespace
}  // namespace davit::test
