// Pods with claims on simulated nodes, and where the scheduler puts them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nodes/storage_world.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// One node, and the pod "data" that runs with the claim "data".
class RunningUser : public StorageWorld {
 public:
  explicit RunningUser(const std::string& annotations = "") : StorageWorld(one_node()) {
    create_bound_claim("data");
    create_user("data", annotations);
    attach("data", "node-1");
    report_attached("data", "node-1");
  }

  void delete_pod() {
    EXPECT_EQ(sandbox.remove("/api/v1/namespaces/default/pods/data").code, 200);
    run_until_idle();
  }

 private:
  static SimulationOptions one_node() {
    SimulationOptions options = with_storage();
    options.nodes.plans = plan_nodes("node", 1, 1);
    return options;
  }
};

TEST(VolumeMounterTest, PodStartsOnceItsVolumeIsInUseAttachedAndMounted) {
  StorageWorld world;
  world.create_bound_claim("data", R"("sandbox.davit.dev/attach":"never")");
  world.create_user("data", R"("sandbox.davit.dev/mount-seconds":"3")");
  const std::string node = world.pod("data").text_at({"spec", "nodeName"});
  ASSERT_FALSE(node.empty());
  EXPECT_TRUE(world.is_in_use("data", node)) << "before anything is attached";

  world.attach("data", node);
  world.report_attached("data", node);
  EXPECT_EQ(world.phase("data"), "Pending") << "the attachment does not say so";
  world.merge(StorageWorld::claim_path("data"),
              R"({"metadata":{"annotations":{"sandbox.davit.dev/attach":null}}})");
  EXPECT_TRUE(world.is_attached(node + ".data"));
  EXPECT_EQ(world.phase("data"), "Pending");
  world.pass(seconds(3));
  EXPECT_EQ(world.phase("data"), "Running");
}

TEST(VolumeMounterTest, PodWaitsUntilTheNodeListsTheVolume) {
  StorageWorld world;
  world.create_bound_claim("data");
  world.create_user("data");
  const std::string node = world.pod("data").text_at({"spec", "nodeName"});
  world.attach("data", node);
  world.pass(minutes(1));
  EXPECT_EQ(world.phase("data"), "Pending");
  world.report_attached("data", node);
  EXPECT_EQ(world.phase("data"), "Running");
}

TEST(VolumeMounterTest, KubeletReportsVolumesThatDoNotComeInTime) {
  StorageWorld world;
  world.create_bound_claim("data", R"("sandbox.davit.dev/attach":"never")");
  world.create_user("data");
  const std::string text =
      "FailedMount Unable to attach or mount volumes: unmounted volumes=[v], unattached "
      "volumes=[v], failed to process volumes=[]: context deadline exceeded";
  world.pass(seconds(122));
  EXPECT_THAT(world.events("data"), Not(Contains(text)));
  world.pass(seconds(1));
  EXPECT_THAT(world.events("data"), Contains(text));
}

TEST(VolumeMounterTest, MountingFailsAsAnnotated) {
  StorageWorld world;
  world.create_bound_claim("data");
  world.create_user("data", R"("sandbox.davit.dev/mount":"fail")");
  const std::string node = world.pod("data").text_at({"spec", "nodeName"});
  world.attach("data", node);
  world.report_attached("data", node);
  world.pass(seconds(10));
  EXPECT_EQ(world.phase("data"), "Pending");
  EXPECT_TRUE(world.is_in_use("data", node));
  EXPECT_THAT(world.events("data"), Contains(HasSubstr("FailedMount MountVolume.SetUp failed for "
                                                       "volume \"pvc-")));

  world.merge("/api/v1/namespaces/default/pods/data",
              R"({"metadata":{"annotations":{"sandbox.davit.dev/mount":null}}})");
  EXPECT_EQ(world.phase("data"), "Running");
}

TEST(VolumeMounterTest, PodIsGoneOnlyAfterItsVolumeIsUnmounted) {
  RunningUser world(R"("sandbox.davit.dev/unmount-seconds":"5")");
  ASSERT_EQ(world.phase("data"), "Running");
  world.delete_pod();
  EXPECT_TRUE(world.is_in_use("data", "node-1"));
  EXPECT_FALSE(world.gone("data"));
  world.pass(seconds(5));
  EXPECT_FALSE(world.is_in_use("data", "node-1"));
  EXPECT_TRUE(world.gone("data"));
}

TEST(VolumeMounterTest, VolumeThatIsNeverUnmountedStaysInUse) {
  RunningUser world(R"("sandbox.davit.dev/unmount":"never")");
  world.delete_pod();
  world.pass(minutes(10));
  EXPECT_TRUE(world.is_in_use("data", "node-1"));
  world.merge("/api/v1/namespaces/default/pods/data",
              R"({"metadata":{"annotations":{"sandbox.davit.dev/unmount":null}}})");
  EXPECT_FALSE(world.is_in_use("data", "node-1"));
  EXPECT_TRUE(world.gone("data"));
}

TEST(VolumeMounterTest, EndedPodKeepsNothingMounted) {
  StorageWorld world;
  world.create_bound_claim("data");
  world.create_user("data", "", R"(,"restartPolicy":"Never")");
  const std::string node = world.pod("data").text_at({"spec", "nodeName"});
  world.attach("data", node);
  world.report_attached("data", node);
  EXPECT_TRUE(world.is_in_use("data", node));
  world.pass(seconds(2));
  EXPECT_EQ(world.phase("data"), "Succeeded");
  EXPECT_FALSE(world.is_in_use("data", node));
}

TEST(VolumeMounterTest, EndedPodsVolumeIsReportedFreeAsSoonAsItIsUnmounted) {
  StorageWorld world;
  world.create_bound_claim("data");
  world.create_user("data", R"("sandbox.davit.dev/unmount-seconds":"5")",
                    R"(,"restartPolicy":"Never")");
  const std::string node = world.pod("data").text_at({"spec", "nodeName"});
  world.attach("data", node);
  world.report_attached("data", node);
  world.pass(seconds(1));
  ASSERT_EQ(world.phase("data"), "Succeeded");
  EXPECT_TRUE(world.is_in_use("data", node));
  world.pass(seconds(5));
  EXPECT_FALSE(world.is_in_use("data", node));
}

TEST(VolumeMounterTest, StoppedNodeKeepsWhatItHasMountedUntilItStartsAgain) {
  RunningUser world;
  world.annotate_node("node-1", "stopped");
  EXPECT_EQ(
      world.sandbox.remove("/api/v1/namespaces/default/pods/data", R"({"gracePeriodSeconds":0})")
          .code,
      200);
  world.pass(minutes(10));
  EXPECT_TRUE(world.is_in_use("data", "node-1"));
  world.annotate_node("node-1", "running");
  EXPECT_FALSE(world.is_in_use("data", "node-1"));
}

TEST(VolumeMounterTest, NewProcessKeepsTheVolumesOfRunningPodsInUse) {
  RunningUser world;
  const std::string listed = world.listed("data");
  bool dropped = false;
  world.server.intercept = [&](const HttpServerRequest& request) {
    const bool report =
        request.method == "PATCH" && request.target == "/api/v1/nodes/node-1/status";
    dropped = dropped || (report && request.body.find("volumesInUse") != std::string::npos &&
                          request.body.find(listed) == std::string::npos);
    return std::optional<HttpServerResponse>();
  };
  world.stop();
  world.start();
  world.pass(minutes(10));
  EXPECT_TRUE(world.is_in_use("data", "node-1"));
  EXPECT_FALSE(dropped);
  EXPECT_EQ(world.phase("data"), "Running");
  world.delete_pod();
  EXPECT_FALSE(world.is_in_use("data", "node-1"));
}

TEST(VolumeMounterTest, NewProcessKeepsAVolumeInUseWhoseClaimWaitsForItsDeletion) {
  RunningUser world;
  const std::string path = RunningUser::claim_path("data");
  // No controller protects claims here.
  world.merge(path, R"({"metadata":{"finalizers":["kubernetes.io/pvc-protection"]}})");
  EXPECT_EQ(world.sandbox.remove(path).code, 200);
  world.run_until_idle();
  world.stop();
  world.start();
  EXPECT_TRUE(world.is_in_use("data", "node-1"));
  world.delete_pod();
  EXPECT_FALSE(world.is_in_use("data", "node-1"));
}

TEST(VolumeMounterTest, NewProcessKeepsAVolumeInUseThatIsNeverUnmounted) {
  RunningUser world(R"("sandbox.davit.dev/unmount":"never")");
  world.delete_pod();
  world.pass(minutes(2));
  ASSERT_FALSE(world.gone("data"));
  world.stop();
  world.start();
  world.pass(minutes(10));
  EXPECT_TRUE(world.is_in_use("data", "node-1"));
  EXPECT_FALSE(world.gone("data"));
  world.merge("/api/v1/namespaces/default/pods/data",
              R"({"metadata":{"annotations":{"sandbox.davit.dev/unmount":null}}})");
  EXPECT_FALSE(world.is_in_use("data", "node-1"));
  EXPECT_TRUE(world.gone("data"));
}

TEST(VolumeMounterTest, NewProcessForgetsTheVolumesOfPodsThatAreGone) {
  RunningUser world;
  world.stop();
  EXPECT_EQ(
      world.sandbox.remove("/api/v1/namespaces/default/pods/data", R"({"gracePeriodSeconds":0})")
          .code,
      200);
  world.start();
  EXPECT_FALSE(world.is_in_use("data", "node-1"));
}

/// The message of the pod's condition PodScheduled.
std::string refusal(StorageWorld& world, const std::string& pod) {
  return World::condition(world.pod(pod), "PodScheduled", "message");
}

TEST(VolumeSchedulingTest, PodWaitsForItsClaims) {
  StorageWorld world;
  world.create_user("data");
  EXPECT_THAT(refusal(world, "data"), HasSubstr("persistentvolumeclaim \"data\" not found"));
  world.create_claim("data");
  world.pass(seconds(2));
  EXPECT_THAT(refusal(world, "data"),
              HasSubstr("pod has unbound immediate PersistentVolumeClaims"));
  world.ask("data");
  world.bind("data");
  world.pass(seconds(10));
  EXPECT_FALSE(world.pod("data").text_at({"spec", "nodeName"}).empty());
}

TEST(VolumeSchedulingTest, ClaimThatWaitsForItsPodGetsAVolumeInTheZoneOfTheNode) {
  StorageWorld world;
  world.create_claim("data", "sandbox-zonal");
  world.create_user("data");
  const std::string node = world.claim("data").text_at(
      {"metadata", "annotations", "volume.kubernetes.io/selected-node"});
  ASSERT_FALSE(node.empty());
  EXPECT_EQ(world.pod("data").text_at({"spec", "nodeName"}), "") << "its volume comes first";

  world.ask("data");
  EXPECT_EQ(to_text(world.volume("data").get("spec").get("nodeAffinity")),
            R"({"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":)"
            R"("topology.kubernetes.io/zone","operator":"In","values":[")" +
                world.node(node).text_at({"metadata", "labels", "topology.kubernetes.io/zone"}) +
                R"("]}]}]}})");
  world.bind("data");
  EXPECT_EQ(world.pod("data").text_at({"spec", "nodeName"}), node);
}

/// A world with one node that has only the simulator's annotation, and a pod there with a volume of
/// the zonal class.
class BareNode : public StorageWorld {
 public:
  explicit BareNode(std::string name) : StorageWorld(without_plans()), node_name(std::move(name)) {
    must(sandbox.post("/api/v1/nodes", R"({"metadata":{"name":")" + node_name +
                                           R"(","annotations":{"sandbox.davit.dev/node":)" +
                                           R"("running"}}})"));
    pass(seconds(5));
    merge("/api/v1/nodes/" + node_name, R"({"spec":{"taints":null}})");
    create_claim("data", "sandbox-zonal");
    create_user("data");
    pass(seconds(5));
    ask("data");
    bind("data");
    pass(seconds(10));
  }

  const std::string node_name;

 private:
  static SimulationOptions without_plans() {
    SimulationOptions options = with_storage();
    options.nodes.plans.clear();
    return options;
  }
};

TEST(VolumeSchedulingTest, NodeWithoutLabelsGetsItsHostNameAndTakesZonalVolumes) {
  BareNode world("bare");
  EXPECT_EQ(world.node("bare").text_at({"metadata", "labels", "kubernetes.io/hostname"}), "bare");
  EXPECT_EQ(to_text(world.volume("data").get("spec").get("nodeAffinity")),
            R"({"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":)"
            R"("kubernetes.io/hostname","operator":"In","values":["bare"]}]}]}})");
  EXPECT_EQ(world.pod("data").text_at({"spec", "nodeName"}), "bare");
}

TEST(VolumeSchedulingTest, VolumeOfANodeWhoseNameIsNoLabelReachesEveryNode) {
  BareNode world(std::string(64, 'n'));
  EXPECT_FALSE(
      world.node(world.node_name).get("metadata").get("labels").contains("kubernetes.io/hostname"));
  EXPECT_FALSE(world.volume("data").get("spec").contains("nodeAffinity"));
  EXPECT_EQ(world.pod("data").text_at({"spec", "nodeName"}), world.node_name);
}

TEST(VolumeSchedulingTest, PodWaitsUntilThereIsRoomForItsVolume) {
  StorageWorld world;
  const std::string path = "/apis/storage.k8s.io/v1/storageclasses/sandbox-zonal";
  const auto set_room = [&](const std::string& size) {
    world.merge(path,
                R"({"metadata":{"annotations":{"sandbox.davit.dev/capacity":")" + size + R"("}}})");
  };
  set_room("512Mi");
  world.create_claim("data", "sandbox-zonal");
  world.create_user("data");
  EXPECT_THAT(refusal(world, "data"), HasSubstr("2 node(s) did not have enough free storage"));
  set_room("1Gi");
  world.pass(seconds(10));
  EXPECT_FALSE(world.claim("data")
                   .text_at({"metadata", "annotations", "volume.kubernetes.io/selected-node"})
                   .empty());
}

TEST(VolumeSchedulingTest, PodGoesWhereItsVolumeIs) {
  StorageWorld world;
  world.create_claim("data", "sandbox-zonal");
  world.create_user("data");
  world.ask("data");
  world.bind("data");
  const std::string node = world.pod("data").text_at({"spec", "nodeName"});
  EXPECT_EQ(
      world.sandbox.remove("/api/v1/namespaces/default/pods/data", R"({"gracePeriodSeconds":0})")
          .code,
      200);
  world.merge("/api/v1/nodes/" + node, R"({"spec":{"unschedulable":true}})");

  world.create_user("data");

  EXPECT_THAT(refusal(world, "data"),
              HasSubstr("1 node(s) didn't match PersistentVolume's node affinity"));
  world.merge("/api/v1/nodes/" + node, R"({"spec":{"unschedulable":null}})");
  world.pass(seconds(10));
  EXPECT_EQ(world.pod("data").text_at({"spec", "nodeName"}), node);
}

TEST(VolumeSchedulingTest, ProvisionerThatGivesTheNodeBackHasThePodScheduledAgain) {
  StorageWorld world;
  world.create_claim("data", "sandbox-zonal");
  world.create_user("data");
  const auto selected = [&]() -> std::string {
    return world.claim("data").text_at(
        {"metadata", "annotations", "volume.kubernetes.io/selected-node"});
  };
  const std::string first = selected();
  EXPECT_EQ(world.sandbox.remove("/api/v1/nodes/" + first).code, 200);
  world.ask("data");
  world.pass(seconds(10));
  EXPECT_NE(selected(), first);
  EXPECT_FALSE(selected().empty());
}

TEST(VolumeSchedulingTest, FreeVolumeIsReservedForTheClaimThatWaits) {
  StorageWorld world;
  world.must(world.sandbox.post("/apis/storage.k8s.io/v1/storageclasses",
                                R"({"metadata":{"name":"local"},"provisioner":)"
                                R"("kubernetes.io/no-provisioner","volumeBindingMode":)"
                                R"("WaitForFirstConsumer"})"));
  world.must(world.sandbox.post(
      "/api/v1/persistentvolumes",
      R"({"metadata":{"name":"disk"},"spec":{"capacity":{"storage":"2Gi"},"accessModes":)"
      R"(["ReadWriteOnce"],"storageClassName":"local","local":{"path":"/disk"},"nodeAffinity":)"
      R"({"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname",)"
      R"("operator":"In","values":["node-2"]}]}]}}}})"));
  world.create_claim("data", "local");
  world.create_user("data");
  EXPECT_THAT(refusal(world, "data"),
              HasSubstr("node(s) didn't find available persistent volumes to bind"));

  world.merge("/api/v1/persistentvolumes/disk/status", R"({"status":{"phase":"Available"}})");
  world.pass(seconds(2));

  EXPECT_EQ(world.read("/api/v1/persistentvolumes/disk").text_at({"spec", "claimRef", "uid"}),
            world.claim("data").text_at({"metadata", "uid"}));
  EXPECT_EQ(world.pod("data").text_at({"spec", "nodeName"}), "");
}

TEST(VolumeSchedulingTest, ClaimForOnePodIsNotGivenToASecond) {
  StorageWorld world;
  world.must(
      world.sandbox.post("/api/v1/namespaces/default/persistentvolumeclaims",
                         R"({"metadata":{"name":"data"},"spec":{"accessModes":)"
                         R"(["ReadWriteOncePod"],"resources":{"requests":{"storage":"1Gi"}}}})"));
  world.ask("data");
  world.bind("data");
  world.create_user("data");
  EXPECT_NE(world.pod("data").text_at({"spec", "nodeName"}), "");

  world.create_pod("second",
                   R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}])");

  EXPECT_EQ(refusal(world, "second"),
            "0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with "
            "ReadWriteOncePod access mode already in-use by another pod.");
  EXPECT_EQ(
      world.sandbox.remove("/api/v1/namespaces/default/pods/data", R"({"gracePeriodSeconds":0})")
          .code,
      200);
  world.pass(seconds(10));
  EXPECT_NE(world.pod("second").text_at({"spec", "nodeName"}), "");
}

TEST(VolumeSchedulingTest, NodeTakesNoMoreVolumesThanItsDriverAllows) {
  StorageWorld world;
  for (const char* node : {"node-1", "node-2"}) {
    world.merge(std::string("/api/v1/nodes/") + node,
                R"({"metadata":{"annotations":{"sandbox.davit.dev/volumes-max":"1"}}})");
  }
  for (const char* name : {"a", "b", "c"}) {
    world.create_bound_claim(name);
    world.create_user(name);
  }
  EXPECT_NE(world.pod("a").text_at({"spec", "nodeName"}),
            world.pod("b").text_at({"spec", "nodeName"}));
  EXPECT_EQ(refusal(world, "c"), "0/2 nodes are available: 2 node(s) exceed max volume count.");
}

}  // namespace
}  // namespace davit::sandbox
