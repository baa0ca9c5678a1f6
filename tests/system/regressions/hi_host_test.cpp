// Classes H and I of the regressions: one bad object, and who takes over when.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/temp_directory.hpp"
#include "tests/system/invariants.hpp"
#include "tests/system/regressions/worlds.hpp"

namespace davit::test {
namespace {

/// Puts an object where no rule of the API looks at it.
void plant(World& world, const std::string& group, const std::string& resource,
           const std::string& text) {
  const Json object = json_literal(text);
  sandbox::Draft draft;
  draft.ns = "default";
  draft.name = object.text_at({"metadata", "name"});
  draft.object = object;
  EXPECT_TRUE(world.store().create({group, resource}, draft));
}

// kubernetes/kubernetes#107038, PR#121015, PR#121037, #80390, #128935, #39680
bool is_served_among_bad_objects(World& world) {
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
  return world.reach(std::chrono::minutes(5),
                     [&] { return ready_pods(world.record(), "web") == 3; });
}

TEST(HostRegressionTest, HBadObjectsHarmNoOtherObject) {
  WorldOptions options{.seed = 1, .host = {}};
  options.host.content_type = host::kContentTypeJson;  // Protobuf cannot hold a wrong type.
  World world(options);
  EXPECT_TRUE(is_served_among_bad_objects(world));
  world.await_rollout("web", 3);
  EXPECT_EQ(world.log().count("namespace=default name=bad uid=bad-2"), 1U)
      << "the one that cannot be read is named";
}

TEST(HostRegressionTest, HIsCaughtWhenAControllerEndsAtABadObject) {
  World world(without_replica_sets());
  EXPECT_FALSE(is_served_among_bad_objects(world));
}

constexpr char kHostedSets[] = "/apis/apps/v1/namespaces/default/replicasets";
constexpr int kAtRest = 60;

std::string set_of(const std::string& name, int replicas) {
  const std::string labels = R"({"app":")" + name + R"("})";
  return R"({"metadata":{"name":")" + name + R"(","labels":)" + labels +
         R"(},"spec":{"replicas":)" + std::to_string(replicas) + R"(,"selector":{"matchLabels":)" +
         labels + R"(},"template":{"metadata":{"labels":)" + labels +
         R"(},"spec":{"containers":[{"name":"c","image":"web:1"}]}}}})";
}

// kubernetes/kubernetes#74397, #68179, cr#3496: how long a new ReplicaSet waits for its pods after
// a restart among sixty to which there is nothing to do.
TEST(HostRegressionTest, I1RestartServesWorkBeforeItIsThroughWithTheRest) {
  World world(only({"replicaset-controller"}));
  for (int i = 0; i < kAtRest; ++i) {
    world.send("POST", kHostedSets, set_of("rest-" + std::to_string(i), 0));
  }
  world.pass(std::chrono::seconds(10));
  world.send("POST", kHostedSets, set_of("web", 2));
  world.await_pods("web", 2);
  world.pass(std::chrono::seconds(10));
  world.stop_host();
  const Time restarted = world.clock().now();
  world.start_host();
  world.send("PATCH", std::string(kHostedSets) + "/web", R"({"spec":{"replicas":4}})");
  const Time begun = world.clock().now();
  world.await("its pods are made", [&] { return live_pods(world, "web").size() == 4; });

  EXPECT_LE(world.clock().now() - begun, std::chrono::seconds(1));
  for (const RecordedRequest& each : world.traffic().since(restarted, "", "/replicasets/rest-")) {
    ADD_FAILURE() << each.method << " " << each.path << " of one at rest";
  }
}

// A candidate looks every two seconds, with a jitter of as much again and a fifth.
constexpr Duration kHandOver = std::chrono::seconds(6);

// kubernetes/kubernetes#107100, #49260; kubernetes-sigs/agent-sandbox#1249
TEST(HostRegressionTest, I2NextLeaderWorksAtOnceWhenTheLeaseIsGivenBack) {
  WorldOptions options{.host = {}};
  options.host.election = HostOptions::Election::kOn;
  World world(options);
  world.start_host();
  world.deploy("web", 3);
  world.await_rollout("web", 3);
  world.stop_host();
  const Time stopped = world.clock().now();
  world.patch("web", R"({"spec":{"replicas":4}})");
  world.await_rollout("web", 4);
  EXPECT_LE(world.clock().now() - stopped, kHandOver);
}

constexpr char kNoRelease[] = R"({"fault":"status","code":403,
    "target":{"verb":"update","resource":"leases.coordination.k8s.io"}})";

/// Ends a davit that leads as a crash does: the Lease keeps its holder. The time until the next one
/// works.
Duration time_to_next_leader(World& world) {
  world.deploy("web", 3);
  world.await_rollout("web", 3);
  world.play(kNoRelease);
  world.stop_host();
  world.heal();
  world.patch("web", R"({"spec":{"replicas":4}})");
  const Time stopped = world.clock().now();
  world.start_host();
  world.await_rollout("web", 4);
  return world.clock().now() - stopped;
}

// Issue 29, 2.10: a crash loop cost every controller 92 s.
TEST(HostRegressionTest, RestartAfterACrashTakesTheLeaseOfItsEarlierProcessAtOnce) {
  const host::TempDirectory state;
  WorldOptions options{.host = {}};
  options.host.election = HostOptions::Election::kOn;
  options.host.state = state.path().string();
  World world(options);
  EXPECT_LE(time_to_next_leader(world), kHandOver);
}

TEST(HostRegressionTest, RestartWaitsWhenNothingProvesThatTheHolderHasEnded) {
  WorldOptions options{.host = {}};
  options.host.election = HostOptions::Election::kOn;
  World world(options);
  EXPECT_GT(time_to_next_leader(world), std::chrono::seconds(15));
}

}  // namespace
}  // namespace davit::test
