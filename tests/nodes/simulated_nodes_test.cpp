// Nodes as the API shows them.
#include <gtest/gtest.h>

#include "tests/nodes/world.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::string renew_time(World& world, const std::string& node) {
  return world.read("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/" + node)
      .text_at({"spec", "renewTime"});
}

TEST(SimulatedNodesTest, NodesRegisterAndBecomeReady) {
  World world(two_nodes());

  const Json node = world.node("node-2");

  EXPECT_EQ(World::condition(node, "Ready"), "True");
  EXPECT_EQ(World::condition(node, "Ready", "reason"), "KubeletReady");
  EXPECT_EQ(World::condition(node, "DiskPressure"), "False");
  EXPECT_EQ(node.text_at({"metadata", "labels", "topology.kubernetes.io/zone"}), "zone-b");
  EXPECT_EQ(node.text_at({"metadata", "labels", "kubernetes.io/hostname"}), "node-2");
  EXPECT_EQ(node.text_at({"spec", "podCIDR"}), "10.244.1.0/24");
  EXPECT_EQ(node.get("spec").get("taints").size(), 0U) << "nobody else takes it away";
  EXPECT_NE(node.get("status").get("addresses"),
            world.node("node-1").get("status").get("addresses"));
}

TEST(SimulatedNodesTest, ANodeWaitsForItsPodCidrFromTheCluster) {
  SimulationOptions options = two_nodes();
  options.nodes.pod_ranges = PodRanges::kFromCluster;
  World world(options);
  EXPECT_EQ(world.node("node-1").text_at({"spec", "podCIDR"}), "");
  EXPECT_EQ(World::condition(world.node("node-1"), "Ready"), "False");
  EXPECT_EQ(World::condition(world.node("node-1"), "Ready", "reason"), "KubeletNotReady");

  EXPECT_EQ(world.sandbox
                .patch("/api/v1/nodes/node-1", "merge", R"({"spec":{"podCIDRs":["10.9.1.0/24"]}})")
                .code,
            200);
  world.run_until_idle();

  EXPECT_EQ(World::condition(world.node("node-1"), "Ready"), "True");
  EXPECT_EQ(World::condition(world.node("node-2"), "Ready"), "False");
}

// ---- In a cloud

SimulationOptions two_machines() {
  SimulationOptions options = two_nodes();
  options.nodes.cloud = CloudSwitch::kOn;
  return options;
}

TEST(SimulatedNodesTest, ANodeOfACloudLeavesItsFactsToTheProvider) {
  World world(two_machines());
  const Json node = world.node("node-2");
  const Json& annotations = node.get("metadata").get("annotations");
  EXPECT_EQ(annotations.get("sandbox.davit.dev/zone").text(), "zone-b");
  EXPECT_EQ(annotations.get("sandbox.davit.dev/region").text(), "sandbox");
  EXPECT_EQ(annotations.get("sandbox.davit.dev/instance-type").text(), "sandbox.8-32Gi");
  EXPECT_FALSE(node.get("metadata").get("labels").contains("topology.kubernetes.io/zone"));
  EXPECT_EQ(node.text_at({"spec", "providerID"}), "");
  ASSERT_EQ(node.get("spec").get("taints").size(), 1U);
  EXPECT_EQ(node.get("spec").get("taints").items().at(0).get("key").text(),
            "node.cloudprovider.kubernetes.io/uninitialized");
  EXPECT_EQ(World::condition(node, "Ready"), "True");
}

TEST(SimulatedNodesTest, ANodeOfACloudKeepsTheAddressesThatTheProviderGaveIt) {
  World world(two_machines());
  const std::string given = R"([{"type":"InternalIP","address":"192.0.2.7"},)"
                            R"({"type":"ExternalIP","address":"198.51.100.7"}])";
  ASSERT_EQ(world.sandbox
                .patch("/api/v1/nodes/node-1/status", "merge",
                       R"({"status":{"addresses":)" + given + "}}")
                .code,
            200);
  world.pass(minutes(6));
  EXPECT_EQ(world.node("node-1").get("status").get("addresses"), *parse_json(given));

  world.create_pod("p", R"("hostNetwork":true,"nodeName":"node-1")");
  EXPECT_EQ(world.pod("p").text_at({"status", "podIP"}), "192.0.2.7");
}

TEST(SimulatedNodesTest, ANodeWhoseMachineIsDeletedIsSilent) {
  World world(two_machines());
  world.annotate_node("node-1", "deleted");
  const std::string before = renew_time(world, "node-1");
  world.pass(minutes(7));
  EXPECT_EQ(renew_time(world, "node-1"), before);

  ASSERT_EQ(world.sandbox.remove("/api/v1/nodes/node-1").code, 200);
  world.pass(minutes(7));
  EXPECT_EQ(world.sandbox.get("/api/v1/nodes/node-1").code, 404) << "it does not register again";
}

// ---- Leases, status

TEST(SimulatedNodesTest, LeaseIsTheNodesAndRenewedEveryTenSeconds) {
  World world(two_nodes());
  const Json lease =
      world.read("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1");
  EXPECT_EQ(lease.text_at({"spec", "holderIdentity"}), "node-1");
  EXPECT_EQ(lease.get("metadata").get("ownerReferences").items().at(0).get("uid"),
            world.node("node-1").get("metadata").get("uid"));

  for (int i = 0; i < 5; ++i) {
    const std::string before = renew_time(world, "node-1");
    world.pass(seconds(10));
    EXPECT_NE(renew_time(world, "node-1"), before);
  }
}

TEST(SimulatedNodesTest, LeaseThatSomebodyTookAwayIsRecreated) {
  World world(two_nodes());
  const std::string target =
      "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1";
  ASSERT_EQ(world.sandbox.remove(target).code, 200);

  world.pass(seconds(11));

  EXPECT_EQ(world.sandbox.get(target).code, 200);
}

TEST(SimulatedNodesTest, StatusIsReportedEveryFiveMinutes) {
  World world(two_nodes());
  const std::string first = World::condition(world.node("node-1"), "Ready", "lastHeartbeatTime");

  world.pass(minutes(4));
  EXPECT_EQ(World::condition(world.node("node-1"), "Ready", "lastHeartbeatTime"), first);
  world.pass(minutes(2));

  const Json node = world.node("node-1");
  EXPECT_NE(World::condition(node, "Ready", "lastHeartbeatTime"), first);
  EXPECT_EQ(World::condition(node, "Ready", "lastTransitionTime"), first);
}

TEST(SimulatedNodesTest, StoppedNodeIsSilentUntilItIsStarted) {
  World world(two_nodes());
  world.annotate_node("node-1", "stopped");
  const std::string before = renew_time(world, "node-1");

  world.pass(minutes(7));
  EXPECT_EQ(renew_time(world, "node-1"), before);
  EXPECT_NE(renew_time(world, "node-2"), before) << "the other one lives";

  world.annotate_node("node-1", "running");
  EXPECT_NE(renew_time(world, "node-1"), before);
}

TEST(SimulatedNodesTest, StartedNodeReportsThatItIsReadyAgain) {
  World world(two_nodes());
  world.annotate_node("node-1", "stopped");
  // Acts like a node lifecycle controller.
  ASSERT_EQ(world.sandbox
                .patch("/api/v1/nodes/node-1/status", "strategic",
                       R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})")
                .code,
            200);
  world.pass(minutes(1));
  EXPECT_EQ(World::condition(world.node("node-1"), "Ready"), "Unknown");

  world.annotate_node("node-1", "running");

  EXPECT_EQ(World::condition(world.node("node-1"), "Ready"), "True");
}

TEST(SimulatedNodesTest, AnnotatedNodeReportsThatItIsNotReady) {
  World world(two_nodes());
  world.annotate_node("node-1", "not-ready");
  EXPECT_EQ(World::condition(world.node("node-1"), "Ready"), "False");
  EXPECT_EQ(World::condition(world.node("node-1"), "Ready", "reason"), "KubeletNotReady");
}

TEST(SimulatedNodesTest, PressureIsReported) {
  World world(two_nodes());
  ASSERT_EQ(world.sandbox
                .patch("/api/v1/nodes/node-1", "merge",
                       R"({"metadata":{"annotations":{"sandbox.davit.dev/pressure":"disk,pid"}}})")
                .code,
            200);
  world.run_until_idle();

  const Json node = world.node("node-1");
  EXPECT_EQ(World::condition(node, "DiskPressure"), "True");
  EXPECT_EQ(World::condition(node, "PIDPressure", "reason"), "KubeletHasInsufficientPID");
  EXPECT_EQ(World::condition(node, "MemoryPressure"), "False");
}

TEST(SimulatedNodesTest, OnlyNodesWithTheAnnotationAreSimulated) {
  World world(two_nodes());
  ASSERT_EQ(world.sandbox.post("/api/v1/nodes", R"({"metadata":{"name":"real"}})").code, 201);
  ASSERT_EQ(world.sandbox
                .post("/api/v1/nodes", R"({"metadata":{"name":"mine","annotations":)"
                                       R"({"sandbox.davit.dev/node":"running"}}})")
                .code,
            201);
  world.run_until_idle();

  EXPECT_EQ(World::condition(world.node("real"), "Ready"), "none");
  EXPECT_EQ(World::condition(world.node("mine"), "Ready"), "True");
}

TEST(SimulatedNodesTest, NewProcessTakesItsNodesOver) {
  World world(two_nodes());
  const Json before = world.node("node-1");
  world.stop();
  world.pass(seconds(30));

  world.start();

  const Json after = world.node("node-1");
  EXPECT_EQ(after.get("status").get("addresses"), before.get("status").get("addresses"));
  const std::string renewed = renew_time(world, "node-1");
  world.pass(seconds(10));
  EXPECT_NE(renew_time(world, "node-1"), renewed);
}

}  // namespace
}  // namespace davit::sandbox
