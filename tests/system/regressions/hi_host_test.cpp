// Classes H and I of the regressions: one bad object, and who takes over when.
#include <gtest/gtest.h>

#include <string>

#include "tests/system/regressions/naive.hpp"

namespace davit::test {
namespace {

using sandbox::Json;

/// Puts an object where no rule of the API looks at it.
void plant(World& world, const std::string& group, const std::string& resource,
           const std::string& text) {
  const Json object = sandbox::json_literal(text);
  sandbox::Draft draft;
  draft.ns = "default";
  draft.name = object.text_at({"metadata", "name"});
  draft.object = object;
  EXPECT_TRUE(world.store().create({group, resource}, draft));
}

// kubernetes/kubernetes#107038, PR#121015, PR#121037, #80390, #128935, #39680
TEST(HostRegressionTest, HBadObjectsHarmNobodyElse) {
  World world(1);
  plant(world, "apps", "deployments",
        R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"bad","uid":"bad-1",
            "namespace":"default","generation":1},"spec":{"replicas":"many","selector":{
            "matchLabels":[7]},"template":null,"strategy":{"rollingUpdate":{"maxSurge":{}}}}})");
  plant(world, "apps", "replicasets",
        R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"bad","uid":"bad-2",
            "namespace":"default","ownerReferences":"nobody"},"spec":{"selector":{"matchLabels":
            {"app":"web"}},"template":[]},"status":7})");
  plant(world, "", "pods",
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"bad","uid":"bad-3","namespace":
            "default","labels":{"app":"web"},"ownerReferences":[{"controller":"yes"}]},
            "status":{"conditions":{"type":[]}}})");
  world.deploy("web", 3);
  world.await_rollout("web", 3);
  EXPECT_GT(world.log().count("default/bad"), 0U);
}

host::Duration time_without_work(World& world) {
  const host::Time begun = world.clock().now();
  world.patch("web", R"({"spec":{"replicas":4}})");
  world.await_rollout("web", 4);
  return world.clock().now() - begun;
}

// kubernetes/kubernetes#107100, #49260; kubernetes-sigs/agent-sandbox#1249
TEST(HostRegressionTest, I2NextLeaderWorksAtOnceWhenTheLeaseIsGivenBack) {
  WorldOptions options{.host = {}};
  options.host.election = HostOptions::Election::kOn;
  World world(options);
  world.start_host();
  world.deploy("web", 3);
  world.await_rollout("web", 3);

  world.stop_host();
  // A candidate looks every two seconds, with a jitter of as much again and a fifth.
  EXPECT_LE(time_without_work(world), std::chrono::seconds(6));
}

}  // namespace
}  // namespace davit::test
