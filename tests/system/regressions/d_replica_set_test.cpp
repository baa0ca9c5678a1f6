// Class D of the regressions: ReplicaSets.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tests/system/invariants.hpp"
#include "tests/system/regressions/naive.hpp"

namespace davit::test {
namespace {

using sandbox::Json;

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
TEST(ReplicaSetRegressionTest, D1RejectedPodsAreReplacedNoFasterThanTheClientMay) {
  constexpr std::size_t kBurst = 30;
  constexpr std::size_t kPerSecond = 20;
  World world(1);
  world.employ(&reject_all);
  const host::Time start = world.clock().now();
  world.deploy("web", 1);
  world.pass(std::chrono::seconds(3));
  EXPECT_LE(world.traffic().since(start, "POST", "/pods").size(), kBurst + 3 * kPerSecond);
}

bool counts_are_sound(const Json& status) {
  const std::int64_t replicas = status.get("replicas").integer_or(0);
  const std::int64_t available = status.get("availableReplicas").integer_or(0);
  const std::int64_t missing = status.get("unavailableReplicas").integer_or(0);
  return replicas >= 0 && available >= 0 && missing >= 0 &&
         available <= std::max<std::int64_t>(replicas, available);
}

// kubernetes/kubernetes#41697
TEST(ReplicaSetRegressionTest, D2CountsStaySoundWhenScaledDown) {
  World world(1);
  world.deploy("web", 6);
  world.await_rollout("web", 6);
  world.patch("web", R"({"spec":{"replicas":1}})");
  world.await_rollout("web", 1);
  for (const Step& step : world.record().steps()) {
    EXPECT_TRUE(counts_are_sound(step.object.get("status"))) << to_text(step.object);
  }
}

TEST(ReplicaSetRegressionTest, D2IsCaughtInAStatus) {
  EXPECT_FALSE(counts_are_sound(sandbox::json_literal(R"({"unavailableReplicas":-1})")));
}

}  // namespace
}  // namespace davit::test
