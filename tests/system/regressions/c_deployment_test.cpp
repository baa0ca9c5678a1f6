// Class C of the regressions: Deployments.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/system/invariants.hpp"
#include "tests/system/regressions/worlds.hpp"

namespace davit::test {
namespace {

constexpr char kDeployedSets[] = "/apis/apps/v1/namespaces/default/replicasets";

/// A ReplicaSet of one pod "web:1", owned by the Deployment `owner` unless that is null.
std::string set_of(const std::string& name, const std::string& app, const Json& owner) {
  const std::string labels = R"({"app":")" + app + R"(","pod-template-hash":"other"})";
  std::string references;
  if (!owner.is_null()) {
    references = R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":")" +
                 owner.text_at({"metadata", "name"}) + R"(","uid":")" +
                 owner.text_at({"metadata", "uid"}) + R"(","controller":true}])";
  }
  return R"({"metadata":{"name":")" + name + R"(","labels":)" + labels + references +
         R"(},"spec":{"replicas":1,"selector":{"matchLabels":)" + labels +
         R"(},"template":{"metadata":{"labels":)" + labels +
         R"(},"spec":{"containers":[{"name":"c","image":"web:1"}]}}}})";
}

void make_set(World& world, const std::string& name, const std::string& app, const Json& owner) {
  world.send("POST", kDeployedSets, set_of(name, app, owner));
}

// kubernetes/kubernetes#40415, #57093, #77858: the ReplicaSet was named by another version's hash.
TEST(DeploymentRegressionTest, C1SetOfAnotherHashIsTakenWhenItsTemplateIsTheSame) {
  World world(1);
  world.stop_host();
  world.deploy("web", 1);
  world.pass(std::chrono::seconds(1));
  make_set(world, "web-other", "web", world.record().deployment("web"));
  world.start_host();
  world.pass(std::chrono::minutes(1));
  EXPECT_EQ(world.record().replica_sets().size(), 1U);
}

// kubernetes/kubernetes#29735, #43449: the name of its ReplicaSet is somebody else's. Whether the
// Deployment gets another one, and leaves that alone.
bool evades(World& world, const std::string& name) {
  make_set(world, name, "foreign", Json());
  world.deploy("web", 1);
  world.pass(std::chrono::minutes(1));
  const Json foreign = world.record().find("ReplicaSet", name);
  return foreign.get("metadata").get("generation").integer_or(0) == 1 &&
         world.record().replica_sets().size() == 2;
}

TEST(DeploymentRegressionTest, C2NameThatSomebodyElseHasIsAvoided) {
  World world(1);
  world.deploy("web", 1);
  world.await_rollout("web", 1);
  const std::string name =
      world.record().replica_sets().begin()->second.text_at({"metadata", "name"});
  world.send("DELETE", "/apis/apps/v1/namespaces/default/deployments/web");
  world.await_end("web");

  EXPECT_TRUE(evades(world, name));
  world.await_rollout("web", 1);
  EXPECT_EQ(world.record().deployment("web").get("status").get("collisionCount").integer_or(0), 1);
  world.expect_silence("web");
}

// kubernetes/kubernetes#30028, #30833
std::size_t writes_of_rivals(World& world) {
  for (const char* name : {"web", "rival"}) {
    world.send("POST", "/apis/apps/v1/namespaces/default/deployments",
               std::string(R"({"metadata":{"name":")") + name +
                   R"("},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},)"
                   R"("template":{"metadata":{"labels":{"app":"web"}},)"
                   R"("spec":{"containers":[{"name":"c","image":")" +
                   name + R"(:1"}]}}}})");
  }
  world.pass(std::chrono::seconds(30));
  const sandbox::Revision before = world.record().revision();
  world.pass(std::chrono::minutes(1));
  return steps_since(world.record(), before, "web").size();
}

TEST(DeploymentRegressionTest, C3OverlappingSelectorsDoNotFight) {
  World world(1);
  EXPECT_EQ(writes_of_rivals(world), 0U);
  EXPECT_EQ(ready_pods(world.record(), "web"), 4U);
}

TEST(DeploymentRegressionTest, C3IsCaughtInControllersThatTakeAllThatMatches) {
  World world(1);
  world.employ([size = 0, next = Time{}](World& each) mutable {
    if (each.record().replica_sets().empty() || each.clock().now() < next) return;
    next = each.clock().now() + std::chrono::seconds(10);
    const Json set = each.record().replica_sets().begin()->second;
    size = 1 - size;
    each.send("PATCH", std::string(kDeployedSets) + "/" + set.text_at({"metadata", "name"}),
              R"({"spec":{"replicas":)" + std::to_string(size) + "}}");
  });
  EXPECT_GT(writes_of_rivals(world), 0U);
}

constexpr char kBrokenImage[] = "web:does-not-exist";

/// The most pods that the ReplicaSets together were to have at any moment.
std::int64_t most_wanted_pods(const Record& record) {
  std::int64_t most = 0;
  std::map<std::string, std::int64_t> sizes;
  for (const Step& step : record.steps()) {
    if (step.kind != "ReplicaSet") continue;
    const std::string& uid = step.object.text_at({"metadata", "uid"});
    sizes[uid] = step.deleted ? 0 : step.object.get("spec").get("replicas").integer_or(1);
    std::int64_t all = 0;
    for (const auto& [set, size] : sizes) all += size;
    most = std::max(most, all);
  }
  return most;
}

/// The most pods on their way out that a Deployment's status ever named.
std::int64_t most_terminating(const Record& record) {
  std::int64_t most = 0;
  for (const Step& step : record.steps()) {
    if (step.kind != "Deployment") continue;
    const Json& status = step.object.get("status");
    most = std::max(most, status.get("terminatingReplicas").integer_or(0));
  }
  return most;
}

/// The images of the pods that began to go since, in that order.
std::vector<std::string> images_of_deleted(const Record& record, sandbox::Revision since) {
  std::vector<std::string> images;
  std::set<std::string> seen;
  for (const Step& step : record.steps()) {
    if (step.kind != "Pod" || step.revision <= since) continue;
    if (!step.deleted && !step.object.get("metadata").contains("deletionTimestamp")) continue;
    if (!seen.insert(step.object.text_at({"metadata", "uid"})).second) continue;
    images.push_back(step.object.get("spec").get("containers").items()[0].text_at({"image"}));
  }
  return images;
}

/// So many pods may be missing, and none may be too many.
void limit_to(World& world, int missing) {
  world.patch("web", R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":)" +
                         std::to_string(missing) + "}}}}");
}

// kubernetes/kubernetes#21810, #22719, #70570, #119536: five are wanted, one may be missing.
std::size_t fewest_in_rollouts(World& world) {
  world.deploy("web", 5);
  world.await_pods("web", 5);
  const sandbox::Revision before = world.record().revision();
  world.set_image("web", kBrokenImage);
  world.pass(std::chrono::minutes(1));
  world.set_image("web", "web:3");
  world.pass(std::chrono::minutes(2));
  return fewest_ready_pods(world.record(), before, "web");
}

TEST(DeploymentRegressionTest, C4C5FloorAndCeilingHoldWhenABrokenRolloutIsReplaced) {
  World world(1);
  world.play(R"({"rules":[
      {"fault":"status","code":409,"probability":0.1,"target":{"verb":["update","patch"]}},
      {"fault":"hold","after":"5s","for":"5s","target":{"verb":"watch","resource":"pods"}}]})");
  EXPECT_GE(fewest_in_rollouts(world), 4U);
  world.await_rollout("web", 5);
  world.expect_order("web");
}

// kubernetes/kubernetes#99513, #97227: without a surge a pod is asked for only when one less is
// wanted of the former template. As upstream, one that is going is not counted, whatever time it
// takes: the status names it. Syncs of two ReplicaSets run side by side, so which of the two pods
// the server hears of first is not decided.
TEST(DeploymentRegressionTest, C4WithoutASurgeNoPodIsMadeBeforeAnotherGoes) {
  World world(1);
  world.send("POST", "/apis/apps/v1/namespaces/default/deployments",
             R"({"metadata":{"name":"web","labels":{"app":"web"}},"spec":{"replicas":5,
                 "selector":{"matchLabels":{"app":"web"}},
                 "strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":1}},
                 "template":{"metadata":{"labels":{"app":"web"},
                   "annotations":{"sandbox.davit.dev/stop-seconds":"20"}},"spec":{
                   "terminationGracePeriodSeconds":60,
                   "containers":[{"name":"c","image":"web:1"}]}}}})");
  world.await_rollout("web", 5);
  const sandbox::Revision before = world.record().revision();
  world.set_image("web", "web:2");
  world.await_rollout("web", 5);

  EXPECT_EQ(most_wanted_pods(world.record()), 5);
  EXPECT_GE(fewest_ready_pods(world.record(), before, "web"), 4U);
  EXPECT_GT(most_terminating(world.record()), 0);
  world.expect_order("web");
}

// Broken pods of the rollout before make way for the next one, not those that work.
TEST(DeploymentRegressionTest, C5BrokenPodsGoFirstWhenABrokenRolloutIsReplaced) {
  World world(1);
  world.deploy("web", 5);
  limit_to(world, 2);
  world.await_rollout("web", 5);
  world.set_image("web", kBrokenImage);
  world.pass(std::chrono::minutes(1));
  const sandbox::Revision before = world.record().revision();
  world.set_image("web", "web:3");
  world.await_rollout("web", 5);

  const std::vector<std::string> gone = images_of_deleted(world.record(), before);
  ASSERT_GE(gone.size(), 2U);
  EXPECT_EQ(gone[0], kBrokenImage);
  EXPECT_EQ(gone[1], kBrokenImage);
}

// kubernetes/kubernetes#119536: two of four pods are new, and work, when three are wanted. As
// upstream, of two sets of one size the older one shrinks.
TEST(DeploymentRegressionTest, C5NewPodsStayWhenARolloutIsScaledDown) {
  World world(1);
  world.deploy("web", 4);
  limit_to(world, 2);
  world.await_rollout("web", 4);
  world.set_image("web", "web:2");
  world.await("two are new", [&] {
    return world.record().deployment("web").get("status").get("updatedReplicas").integer_or(0) == 2;
  });
  world.patch("web", R"({"spec":{"paused":true}})");
  world.pass(std::chrono::minutes(1));
  ASSERT_EQ(ready_pods(world.record(), "web"), 4U);
  const sandbox::Revision before = world.record().revision();
  world.patch("web", R"({"spec":{"replicas":3}})");
  world.pass(std::chrono::minutes(1));

  EXPECT_EQ(images_of_deleted(world.record(), before), std::vector<std::string>{"web:1"});
}

// kubernetes/kubernetes#28105, #28145: three of twelve are new when eight more are wanted.
TEST(DeploymentRegressionTest, C6ScalingInMidRolloutKeepsTheProportion) {
  World world(1);
  world.deploy("web", 10);
  world.await_rollout("web", 10);
  world.set_image("web", kBrokenImage);
  world.pass(std::chrono::minutes(1));
  world.patch("web", R"({"spec":{"replicas":20}})");
  world.pass(std::chrono::minutes(1));

  std::vector<std::int64_t> sizes;
  for (const auto& [uid, set] : world.record().replica_sets()) {
    sizes.push_back(set.get("spec").get("replicas").integer_or(0));
  }
  std::ranges::sort(sizes);
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_EQ(sizes[0] + sizes[1], 22);
  EXPECT_TRUE(sizes[0] == 5 || sizes[0] == 6) << sizes[0] << ": 3 of 12 become 5.5 of 22";
  world.expect_order("web");
}

// kubernetes/kubernetes#49637, #106054: how long a rollout takes that gets nowhere, when it has a
// minute.
TEST(DeploymentRegressionTest, C7DeadlineCountsFromTheLastProgress) {
  World world(1);
  world.deploy("web", 2);
  world.await_rollout("web", 2);
  world.patch("web", R"({"spec":{"progressDeadlineSeconds":60}})");
  world.pass(std::chrono::minutes(5));
  world.set_image("web", kBrokenImage);
  const auto given_up = [&] {
    const Json object = world.record().deployment("web");
    return std::ranges::any_of(
        object.get("status").get("conditions").items(),
        [](const Json& each) { return each.text_at({"reason"}) == "ProgressDeadlineExceeded"; });
  };
  // The last progress is the new pods' creation, within the first seconds.
  EXPECT_FALSE(world.reach(std::chrono::seconds(60), given_up));
  EXPECT_TRUE(world.reach(std::chrono::seconds(10), given_up));
}

// kubernetes/kubernetes#100314, #36117, #20381
bool is_observed(World& world) {
  world.deploy("web", 4);
  return world.reach(std::chrono::minutes(10), [&] {
    const Json object = world.record().deployment("web");
    return object.get("status").get("availableReplicas").integer_or(0) == 4;
  });
}

TEST(DeploymentRegressionTest, C8RolloutIsObservedAfterLostEvents) {
  World world(1);
  world.play(R"({"rules":[
      {"fault":"gap","events":["MODIFIED"],"until":"30s",
       "target":{"verb":"watch"}},
      {"fault":"status","code":410,"after":"40s","count":8,"target":{"verb":"watch"}}]})");
  EXPECT_TRUE(is_observed(world));
  world.await_rollout("web", 4);
}

}  // namespace
}  // namespace davit::test
