// Class B of the regressions: expectations that outlive what they were about.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "tests/system/regressions/naive.hpp"

namespace davit::test {
namespace {

constexpr char kExpectedSets[] = "/apis/apps/v1/namespaces/default/replicasets";

void make_set(World& world, int replicas) {
  world.send("POST", kExpectedSets,
             R"({"metadata":{"name":"web","labels":{"app":"web"}},"spec":{"replicas":)" +
                 std::to_string(replicas) +
                 R"(,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":)"
                 R"({"app":"web"}},"spec":{"containers":[{"name":"c","image":"web:1"}]}}}})");
}

/// Pods of a set made anew within the five minutes for which the pods of its predecessor, which
/// was deleted before they were seen, are expected.
std::size_t pods_of_namesake(World& world) {
  make_set(world, 3);
  world.pass(std::chrono::seconds(5));
  world.send("DELETE", std::string(kExpectedSets) + "/web");
  world.pass(std::chrono::seconds(5));
  make_set(world, 2);
  world.pass(std::chrono::minutes(2));
  return world.record().pods().size();
}

// kubernetes/kubernetes#69376, PR#82572; openkruise/kruise#1765
TEST(ExpectationsRegressionTest, B1SetMadeAnewInheritsNothing) {
  World world(1);
  world.play(R"({"fault":"hold","for":"20s","target":{"verb":"watch","resource":"pods"}})");
  EXPECT_EQ(pods_of_namesake(world), 2U);
}

TEST(ExpectationsRegressionTest, B1IsCaughtInAControllerThatExpectsByName) {
  World world(without_replica_sets());
  NaiveReplicaSets naive("web");
  naive.stall({}, std::chrono::minutes(5));
  world.employ(std::ref(naive));
  EXPECT_NE(pods_of_namesake(world), 2U);
}

// kubernetes/kubernetes#22061, #22270; openkruise/kruise#1293: a deletion that fails, or whose
// answer is lost, is not waited for.
std::size_t pods_after_failed_deletions(World& world) {
  make_set(world, 4);
  world.await_pods("web", 4);
  world.play(R"({"rules":[
      {"fault":"status","code":500,"count":2,"target":{"verb":"delete","resource":"pods"}},
      {"fault":"lost","count":1,"target":{"verb":"delete","resource":"pods"}}]})");
  world.send("PATCH", std::string(kExpectedSets) + "/web", R"({"spec":{"replicas":1}})");
  world.pass(std::chrono::minutes(2));
  return world.record().pods().size();
}

TEST(ExpectationsRegressionTest, B2B3FailedDeletionsAreTriedAgain) {
  World world(1);
  EXPECT_EQ(pods_after_failed_deletions(world), 1U);
}

TEST(ExpectationsRegressionTest, B2B3AreCaughtInAControllerThatWaitsForWhatFailed) {
  World world(without_replica_sets());
  world.employ([naive = NaiveReplicaSets("web"),
                asked = std::set<std::string>()](World& each) mutable {
    naive(each);
    const std::int64_t wanted =
        each.record().find("ReplicaSet", "web").get("spec").get("replicas").integer_or(0);
    for (const auto& [uid, pod] : live_pods(each, "web")) {
      if (static_cast<std::int64_t>(asked.size()) >= 4 - wanted) return;
      if (!asked.insert(uid).second) continue;
      each.ask("DELETE", "/api/v1/namespaces/default/pods/" + pod.text_at({"metadata", "name"}));
    }
  });
  EXPECT_NE(pods_after_failed_deletions(world), 1U);
}

}  // namespace
}  // namespace davit::test
