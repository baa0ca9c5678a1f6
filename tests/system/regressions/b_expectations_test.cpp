// Class B of the regressions: expectations that outlive what they were about.
#include <gtest/gtest.h>

#include <string>

#include "tests/system/regressions/worlds.hpp"

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

/// Pods of a set recreated within the five minutes for which the pods of its predecessor, which
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
TEST(ExpectationsRegressionTest, B1RecreatedSetInheritsNothing) {
  World world(1);
  world.play(R"({"fault":"hold","for":"20s","target":{"verb":"watch","resource":"pods"}})");
  EXPECT_EQ(pods_of_namesake(world), 2U);
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

}  // namespace
}  // namespace davit::test
