// Class C of the regressions: Deployments.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/system/invariants.hpp"
#include "tests/system/regressions/naive.hpp"

namespace davit::test {
namespace {

using sandbox::Json;

constexpr char kDeployedSets[] = "/apis/apps/v1/namespaces/default/replicasets";

WorldOptions no_controllers_of_workloads() { return only({"endpoints-controller"}); }

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
std::size_t sets_after_upgrade(World& world, const std::function<void()>& upgraded) {
  world.stop_host();
  world.deploy("web", 1);
  world.pass(std::chrono::seconds(1));
  make_set(world, "web-other", "web", world.record().deployment("web"));
  upgraded();
  world.pass(std::chrono::minutes(1));
  return world.record().replica_sets().size();
}

TEST(DeploymentRegressionTest, C1SetOfAnotherHashIsTakenWhenItsTemplateIsTheSame) {
  World world(1);
  EXPECT_EQ(sets_after_upgrade(world, [&] { world.start_host(); }), 1U);
}

TEST(DeploymentRegressionTest, C1IsCaughtInAControllerThatLooksForAName) {
  World world(no_controllers_of_workloads());
  EXPECT_EQ(sets_after_upgrade(world,
                               [&] {
                                 world.employ([](World& each) {
                                   if (!each.record().find("ReplicaSet", "web-mine").is_null())
                                     return;
                                   make_set(each, "web-mine", "web",
                                            each.record().deployment("web"));
                                 });
                               }),
            2U);
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

TEST(DeploymentRegressionTest, C2IsCaughtInAControllerThatTakesWhatHasTheName) {
  World world(only({"replicaset-controller"}));
  world.employ([](World& each) {
    const Json owner = each.record().deployment("web");
    if (!owner.is_null()) each.ask("POST", kDeployedSets, set_of("web-hash", "web", owner));
  });
  EXPECT_FALSE(evades(world, "web-hash"));
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
  const sandbox::Revision settled = world.record().revision();
  world.pass(std::chrono::minutes(1));
  return steps_since(world.record(), settled, "web").size();
}

TEST(DeploymentRegressionTest, C3OverlappingSelectorsDoNotFight) {
  World world(1);
  EXPECT_EQ(writes_of_rivals(world), 0U);
  EXPECT_EQ(ready_pods(world.record(), "web"), 4U);
}

TEST(DeploymentRegressionTest, C3IsCaughtInControllersThatTakeAllThatMatches) {
  World world(1);
  world.employ([size = 0, next = host::Time{}](World& each) mutable {
    if (each.record().replica_sets().empty() || each.clock().now() < next) return;
    next = each.clock().now() + std::chrono::seconds(10);
    const Json set = each.record().replica_sets().begin()->second;
    size = 1 - size;
    each.send("PATCH", std::string(kDeployedSets) + "/" + set.text_at({"metadata", "name"}),
              R"({"spec":{"replicas":)" + std::to_string(size) + "}}");
  });
  EXPECT_GT(writes_of_rivals(world), 0U);
}

// kubernetes/kubernetes#21810, #22719, #70570, #119536: five are wanted, one may be missing.
std::size_t fewest_in_rollouts(World& world) {
  world.deploy("web", 5);
  world.await_pods("web", 5);
  const sandbox::Revision before = world.record().revision();
  world.set_image("web", "web:does-not-exist");
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

TEST(DeploymentRegressionTest, C4IsCaughtInAControllerThatRemovesTheOldOnesFirst) {
  World world(1);
  world.employ([done = false](World& each) mutable {
    if (done || each.images("web").find("web:does-not-exist") == std::string::npos) return;
    done = true;
    for (const auto& [uid, pod] : each.record().pods()) {
      if (pod.get("metadata").contains("deletionTimestamp")) continue;
      if (pod.get("spec").get("containers").items()[0].text_at({"image"}) != "web:1") continue;
      each.send("DELETE", "/api/v1/namespaces/default/pods/" + pod.text_at({"metadata", "name"}));
    }
  });
  EXPECT_LT(fewest_in_rollouts(world), 4U);
}

// kubernetes/kubernetes#28105, #28145: three of twelve are new when eight more are wanted.
std::vector<std::int64_t> sizes_in_mid_rollout(World& world, const std::function<void()>& begin) {
  world.deploy("web", 10);
  world.await_rollout("web", 10);
  world.set_image("web", "web:does-not-exist");
  world.pass(std::chrono::minutes(1));
  begin();
  world.patch("web", R"({"spec":{"replicas":20}})");
  world.pass(std::chrono::minutes(1));

  std::vector<std::int64_t> sizes;
  for (const auto& [uid, set] : world.record().replica_sets()) {
    sizes.push_back(set.get("spec").get("replicas").integer_or(0));
  }
  std::ranges::sort(sizes);
  return sizes;
}

bool is_in_proportion(const std::vector<std::int64_t>& sizes) {
  // 3 of 12 become 5.5 of 22.
  return sizes == std::vector<std::int64_t>{5, 17} || sizes == std::vector<std::int64_t>{6, 16};
}

TEST(DeploymentRegressionTest, C6ScalingInMidRolloutKeepsTheProportion) {
  World world(1);
  EXPECT_TRUE(is_in_proportion(sizes_in_mid_rollout(world, [] {})));
  world.expect_order("web");
}

TEST(DeploymentRegressionTest, C6IsCaughtInAControllerThatScalesTheNewOne) {
  World world(1);
  const std::vector<std::int64_t> sizes = sizes_in_mid_rollout(world, [&] {
    world.stop_host();
    world.employ([](World& each) {
      if (each.record().deployment("web").get("spec").get("replicas").integer_or(0) != 20) return;
      for (const auto& [uid, set] : each.record().replica_sets()) {
        if (set.get("spec").get("replicas").integer_or(0) != 3) continue;
        each.send("PATCH", std::string(kDeployedSets) + "/" + set.text_at({"metadata", "name"}),
                  R"({"spec":{"replicas":13}})");
      }
    });
  });
  EXPECT_FALSE(is_in_proportion(sizes));
}

// kubernetes/kubernetes#49637, #106054: how long a rollout takes that gets nowhere, when it has a
// minute.
host::Duration time_until_given_up(World& world, const std::function<void()>& begin) {
  world.deploy("web", 2);
  world.await_rollout("web", 2);
  world.patch("web", R"({"spec":{"progressDeadlineSeconds":60}})");
  world.pass(std::chrono::minutes(5));
  begin();
  world.set_image("web", "web:does-not-exist");
  const host::Time begun = world.clock().now();
  world.await("the deadline is exceeded", [&] {
    const Json object = world.record().deployment("web");
    for (const Json& each : object.get("status").get("conditions").items()) {
      if (each.text_at({"reason"}) == "ProgressDeadlineExceeded") return true;
    }
    return false;
  });
  return world.clock().now() - begun;
}

TEST(DeploymentRegressionTest, C7DeadlineCountsFromTheLastProgress) {
  World world(1);
  const host::Duration time = time_until_given_up(world, [] {});
  // The last progress is the new pods' creation, within the first seconds.
  EXPECT_GE(time, std::chrono::seconds(60));
  EXPECT_LE(time, std::chrono::seconds(70));
}

TEST(DeploymentRegressionTest, C7IsCaughtInAControllerThatCountsFromTheLastRollout) {
  World world(1);
  const host::Time begun = world.clock().now();
  const host::Duration time = time_until_given_up(world, [&] {
    world.stop_host();
    world.employ([begun, done = false](World& each) mutable {
      const Json object = each.record().deployment("web");
      if (done || to_text(object.get("spec")).find("does-not-exist") == std::string::npos ||
          each.clock().now() < begun + std::chrono::minutes(1)) {
        return;
      }
      done = true;
      each.send("PATCH", "/apis/apps/v1/namespaces/default/deployments/web/status",
                R"({"status":{"conditions":[{"type":"Progressing","status":"False",)"
                R"("reason":"ProgressDeadlineExceeded"}]}})");
    });
  });
  EXPECT_LT(time, std::chrono::seconds(60));
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
      {"fault":"gap","events":["MODIFIED"],"probability":0.5,"until":"30s",
       "target":{"verb":"watch"}},
      {"fault":"status","code":410,"after":"40s","count":8,"target":{"verb":"watch"}}]})");
  EXPECT_TRUE(is_observed(world));
  world.await_rollout("web", 4);
}

TEST(DeploymentRegressionTest, C8IsCaughtInAControllerThatCountsEvents) {
  World world(only({"replicaset-controller"}));
  world.employ([](World& each) {
    const Json owner = each.record().deployment("web");
    if (owner.is_null() || !each.record().replica_sets().empty()) return;
    make_set(each, "web-naive", "web", owner);
    each.send("PATCH", std::string(kDeployedSets) + "/web-naive", R"({"spec":{"replicas":4}})");
    // The events that would make this more are lost.
    each.send("PATCH", "/apis/apps/v1/namespaces/default/deployments/web/status",
              R"({"status":{"replicas":4,"availableReplicas":0}})");
  });
  EXPECT_FALSE(is_observed(world));
}

}  // namespace
}  // namespace davit::test
