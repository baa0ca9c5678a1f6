// The simulated CSI driver, with its binder and attach/detach controller played by the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nodes/storage_world.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const std::string kVolumes = "/api/v1/persistentvolumes";
const std::string kClasses = "/apis/storage.k8s.io/v1/storageclasses";

TEST(StorageDriverTest, DriverRegistersItselfItsClassesAndItsNodes) {
  StorageWorld world;
  EXPECT_TRUE(world.read("/apis/storage.k8s.io/v1/csidrivers/sandbox.davit.dev")
                  .get("spec")
                  .get("attachRequired")
                  .boolean());
  const Json by_default = world.read(kClasses + "/sandbox");
  EXPECT_EQ(by_default.text_at(
                {"metadata", "annotations", "storageclass.kubernetes.io/is-default-class"}),
            "true");
  EXPECT_EQ(by_default.text_at({"volumeBindingMode"}), "Immediate");
  EXPECT_EQ(world.read(kClasses + "/sandbox-zonal").text_at({"volumeBindingMode"}),
            "WaitForFirstConsumer");
  const Json csi_node = world.read("/apis/storage.k8s.io/v1/csinodes/node-1");
  ASSERT_EQ(csi_node.get("spec").get("drivers").size(), 1U);
  EXPECT_EQ(to_text(csi_node.get("spec").get("drivers").items()[0]),
            R"({"name":"sandbox.davit.dev","nodeID":"node-1","topologyKeys":)"
            R"(["topology.kubernetes.io/zone"],"allocatable":{"count":32}})");
  EXPECT_EQ(
      world.node("node-1").text_at(
          {"metadata", "annotations", "volumes.kubernetes.io/controller-managed-attach-detach"}),
      "true");
}

/// "zone-a=1Pi": the room that is published for a class, by zone.
std::vector<std::string> capacities(StorageWorld& world, const std::string& storage_class) {
  std::vector<std::string> out;
  const Json list = world.read("/apis/storage.k8s.io/v1/csistoragecapacities");
  for (const Json& each : list.get("items").items()) {
    EXPECT_EQ(each.text_at({"metadata", "namespace"}), "kube-system");
    EXPECT_EQ(each.text_at({"metadata", "labels", "csi.storage.k8s.io/drivername"}),
              "sandbox.davit.dev");
    if (each.text_at({"storageClassName"}) != storage_class) continue;
    out.push_back(each.text_at({"nodeTopology", "matchLabels", "topology.kubernetes.io/zone"}) +
                  "=" + each.text_at({"capacity"}));
  }
  return out;
}

TEST(StorageDriverTest, RoomIsPublishedForEachZoneOfAClassThatWaits) {
  StorageWorld world;
  EXPECT_THAT(capacities(world, "sandbox-zonal"), UnorderedElementsAre("zone-a=1Pi", "zone-b=1Pi"));
  EXPECT_THAT(capacities(world, "sandbox"), IsEmpty());
  world.stop();
  world.start();
  EXPECT_EQ(capacities(world, "sandbox-zonal").size(), 2U) << "nothing is published twice";

  EXPECT_EQ(world.sandbox.remove(kClasses + "/sandbox-zonal").code, 200);
  world.run_until_idle();
  EXPECT_THAT(capacities(world, "sandbox-zonal"), IsEmpty());
}

TEST(StorageDriverTest, RoomFollowsTheFirstAndTheLastNodeOfAZone) {
  StorageWorld world;
  const auto move = [&](const std::string& node, const std::string& zone) {
    world.merge("/api/v1/nodes/" + node,
                R"({"metadata":{"labels":{"topology.kubernetes.io/zone":")" + zone + R"("}}})");
  };
  move("node-2", "zone-c");
  EXPECT_THAT(capacities(world, "sandbox-zonal"), UnorderedElementsAre("zone-a=1Pi", "zone-c=1Pi"));
  move("node-1", "zone-c");
  EXPECT_THAT(capacities(world, "sandbox-zonal"), UnorderedElementsAre("zone-c=1Pi"));
  move("node-2", "zone-b");
  EXPECT_THAT(capacities(world, "sandbox-zonal"), UnorderedElementsAre("zone-b=1Pi", "zone-c=1Pi"));

  EXPECT_EQ(world.sandbox.remove("/apis/storage.k8s.io/v1/csinodes/node-2").code, 200);
  world.run_until_idle();
  EXPECT_EQ(capacities(world, "sandbox-zonal").size(), 2U) << "the driver registers again";
}

TEST(StorageDriverTest, VolumesTakeOfTheRoomOfTheirZone) {
  StorageWorld world;
  world.merge(kClasses + "/sandbox-zonal",
              R"({"metadata":{"annotations":{"sandbox.davit.dev/capacity":"3Gi"}}})");
  EXPECT_THAT(capacities(world, "sandbox-zonal"), UnorderedElementsAre("zone-a=3Gi", "zone-b=3Gi"));
  world.create_claim("data", "sandbox-zonal", R"("volume.kubernetes.io/selected-node":"node-1")");
  world.ask("data");
  EXPECT_THAT(capacities(world, "sandbox-zonal"),
              UnorderedElementsAre("zone-a=2147483648", "zone-b=3Gi"));
  world.bind("data");
  EXPECT_EQ(world.sandbox.remove(StorageWorld::claim_path("data")).code, 200);
  world.set_phase("data", "Released");
  EXPECT_THAT(capacities(world, "sandbox-zonal"), UnorderedElementsAre("zone-a=3Gi", "zone-b=3Gi"));
}

TEST(StorageDriverTest, ClassThatExistsAtTheStartIsNotCreatedAgainOnceItIsDeleted) {
  StorageWorld world;
  world.stop();
  world.start();
  for (const std::string& path :
       {kClasses + "/sandbox",
        std::string("/apis/storage.k8s.io/v1/csidrivers/sandbox.davit.dev")}) {
    EXPECT_EQ(world.sandbox.remove(path).code, 200);
    world.run_until_idle();
    world.pass(seconds(60));
    EXPECT_EQ(world.sandbox.get(path).code, 404) << path;
  }
}

TEST(StorageDriverTest, ClaimWithoutAClassGetsTheDefaultOne) {
  StorageWorld world;
  world.must(
      world.sandbox.post("/api/v1/namespaces/default/persistentvolumeclaims",
                         R"({"metadata":{"name":"data"},"spec":{"accessModes":)"
                         R"(["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})"));
  EXPECT_EQ(world.claim("data").text_at({"spec", "storageClassName"}), "sandbox");
}

TEST(StorageDriverTest, WithoutStorageThereIsNoDriverAndPodsDoNotWaitForClaims) {
  World world(two_nodes());
  EXPECT_EQ(world.read(kClasses).get("items").size(), 0U);
  world.create_pod("p", R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"none"}}])");
  EXPECT_EQ(world.phase("p"), "Running");
  EXPECT_FALSE(world.node("node-1").get("status").contains("volumesInUse"));
}

TEST(StorageDriverTest, ProvisionerMakesTheVolumeThatTheBinderAsksFor) {
  StorageWorld world;
  world.create_claim("data");
  EXPECT_EQ(world.read(kVolumes).get("items").size(), 0U) << "nothing has asked yet";

  world.ask("data");

  const Json volume = world.volume("data");
  const Json& spec = volume.get("spec");
  EXPECT_EQ(spec.text_at({"csi", "driver"}), "sandbox.davit.dev");
  EXPECT_EQ(spec.text_at({"claimRef", "uid"}), world.claim("data").text_at({"metadata", "uid"}));
  EXPECT_EQ(spec.text_at({"capacity", "storage"}), "1Gi");
  EXPECT_EQ(spec.text_at({"persistentVolumeReclaimPolicy"}), "Delete");
  EXPECT_EQ(spec.text_at({"storageClassName"}), "sandbox");
  EXPECT_FALSE(spec.contains("nodeAffinity"));
  EXPECT_EQ(volume.text_at({"metadata", "annotations", "pv.kubernetes.io/provisioned-by"}),
            "sandbox.davit.dev");
  EXPECT_THAT(to_text(volume.get("metadata").get("finalizers")),
              HasSubstr("external-provisioner.volume.kubernetes.io/finalizer"));
  EXPECT_THAT(world.events("data"), Contains("ProvisioningSucceeded Successfully provisioned "
                                             "volume " +
                                             world.volume_name("data")));
  world.pass(seconds(5));
  EXPECT_EQ(world.read(kVolumes).get("items").size(), 1U);
}

TEST(StorageDriverTest, ProvisioningTakesItsTimeAndFailsAsAnnotated) {
  StorageWorld world;
  world.create_claim("slow", "sandbox", R"("sandbox.davit.dev/provision-seconds":"3")");
  world.create_claim("bad", "sandbox", R"("sandbox.davit.dev/provision":"fail")");
  world.ask("slow");
  world.ask("bad");
  EXPECT_TRUE(world.volume("slow").text_at({"spec", "csi", "driver"}).empty());

  world.pass(seconds(3));

  EXPECT_EQ(world.volume("slow").text_at({"spec", "csi", "driver"}), "sandbox.davit.dev");
  EXPECT_TRUE(world.volume("bad").text_at({"spec", "csi", "driver"}).empty());
  EXPECT_THAT(world.events("bad"),
              Contains(HasSubstr("ProvisioningFailed failed to provision volume with StorageClass "
                                 "\"sandbox\": ")));
  world.merge(StorageWorld::claim_path("bad"),
              R"({"metadata":{"annotations":{"sandbox.davit.dev/provision":null}}})");
  EXPECT_EQ(world.volume("bad").text_at({"spec", "csi", "driver"}), "sandbox.davit.dev");
}

TEST(StorageDriverTest, AttacherHoldsTheAttachmentUntilTheVolumeIsDetached) {
  StorageWorld world;
  world.create_bound_claim("data", R"("sandbox.davit.dev/attach-seconds":"2",)"
                                   R"("sandbox.davit.dev/detach-seconds":"4")");
  world.attach("data", "node-1");
  EXPECT_EQ(to_text(world.attachment("node-1.data").get("metadata").get("finalizers")),
            R"(["external-attacher/sandbox-davit-dev"])");
  EXPECT_FALSE(world.is_attached("node-1.data"));
  world.pass(seconds(2));
  EXPECT_TRUE(world.is_attached("node-1.data"));
  EXPECT_THAT(to_text(world.volume("data").get("metadata").get("finalizers")),
              HasSubstr("external-attacher/sandbox-davit-dev"));

  world.detach("data", "node-1");
  world.pass(seconds(3));
  EXPECT_EQ(world.attachment("node-1.data").text_at({"kind"}), "VolumeAttachment");
  world.pass(seconds(1));
  EXPECT_EQ(world.attachment("node-1.data").text_at({"reason"}), "NotFound");
}

TEST(StorageDriverTest, VolumeForOneNodeIsNotAttachedToASecond) {
  StorageWorld world;
  world.create_bound_claim("data");
  world.attach("data", "node-1");
  world.attach("data", "node-2");
  EXPECT_TRUE(world.is_attached("node-1.data"));
  EXPECT_FALSE(world.is_attached("node-2.data"));
  EXPECT_THAT(world.attachment("node-2.data").text_at({"status", "attachError", "message"}),
              HasSubstr("is attached to node node-1"));

  world.detach("data", "node-1");

  EXPECT_TRUE(world.is_attached("node-2.data"));
  EXPECT_FALSE(world.attachment("node-2.data").get("status").contains("attachError"));
}

TEST(StorageDriverTest, AttachingAndDetachingFailAsAnnotated) {
  StorageWorld world;
  world.create_bound_claim("data", R"("sandbox.davit.dev/attach":"fail")");
  world.attach("data", "node-1");
  EXPECT_THAT(world.attachment("node-1.data").text_at({"status", "attachError", "message"}),
              HasSubstr("ResourceExhausted"));
  world.merge(StorageWorld::claim_path("data"),
              R"({"metadata":{"annotations":{"sandbox.davit.dev/attach":null,)"
              R"("sandbox.davit.dev/detach":"fail"}}})");
  EXPECT_TRUE(world.is_attached("node-1.data"));

  world.detach("data", "node-1");

  EXPECT_THAT(world.attachment("node-1.data").text_at({"status", "detachError", "message"}),
              HasSubstr("ResourceExhausted"));
  world.merge(StorageWorld::claim_path("data"),
              R"({"metadata":{"annotations":{"sandbox.davit.dev/detach":"never"}}})");
  world.pass(seconds(60));
  EXPECT_TRUE(world.is_attached("node-1.data"));
}

TEST(StorageDriverTest, ReleasedVolumeIsDeletedOnceItIsDetached) {
  StorageWorld world;
  world.create_bound_claim("data");
  world.attach("data", "node-1");
  const std::string name = world.volume_name("data");
  const std::string path = kVolumes + "/" + name;
  // No controller protects volumes here.
  world.merge(path, R"({"metadata":{"finalizers":["external-attacher/sandbox-davit-dev",)"
                    R"("external-provisioner.volume.kubernetes.io/finalizer"]}})");
  world.set_phase("data", "Released");
  EXPECT_THAT(world.events(name), Contains("VolumeFailedDelete persistentvolume " + name +
                                           " is still attached to node node-1"));
  EXPECT_EQ(world.sandbox.get(path).code, 200);

  world.detach("data", "node-1");
  world.pass(seconds(1));

  EXPECT_EQ(world.sandbox.get(path).code, 404);
}

TEST(StorageDriverTest, VolumeOfThePolicyRetainIsNeverDeletedAndLosesTheProvisionersFinalizer) {
  StorageWorld world;
  world.create_bound_claim("data");
  const std::string path = kVolumes + "/" + world.volume_name("data");
  world.merge(path, R"({"spec":{"persistentVolumeReclaimPolicy":"Retain"}})");
  EXPECT_EQ(to_text(world.volume("data").get("metadata").get("finalizers")),
            R"(["kubernetes.io/pv-protection"])");
  world.set_phase("data", "Released");
  world.pass(seconds(60));
  EXPECT_FALSE(world.volume("data").get("metadata").contains("deletionTimestamp"));

  world.merge(path, R"({"spec":{"persistentVolumeReclaimPolicy":"Delete"}})");
  world.pass(seconds(1));
  EXPECT_TRUE(world.volume("data").get("metadata").contains("deletionTimestamp"));
}

/// A volume as the sandbox's controller `volumes` makes it for the claim, but for `folder` and
/// `policy`. The binder has found its claim gone, and has no way to delete it.
void add_failed_volume(StorageWorld& world, const std::string& uid, const std::string& folder,
                       const std::string& policy, const std::string& annotations = "") {
  const std::string name = "pvc-" + uid;
  world.must(world.sandbox.post(
      kVolumes, R"({"metadata":{"name":")" + name + R"(","annotations":{)" + annotations +
                    R"(}},"spec":{"capacity":{"storage":"1Gi"},)" +
                    R"("accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":")" +
                    policy + R"(","claimRef":{"apiVersion":"v1","kind":"PersistentVolumeClaim",)" +
                    R"("namespace":"default","name":"data","uid":")" + uid +
                    R"("},"hostPath":{"path":")" + folder + name + R"("}}})"));
  // No controller protects volumes here.
  world.merge(kVolumes + "/" + name, R"({"metadata":{"finalizers":null}})");
  world.merge(kVolumes + "/" + name + "/status", R"({"status":{"phase":"Failed"}})");
  world.pass(seconds(60));
}

TEST(StorageDriverTest, VolumeOfTheSandboxsOwnBinderIsDeletedWhenItsClaimIsGone) {
  StorageWorld world;
  add_failed_volume(world, "u1", "/tmp/", "Delete");
  EXPECT_EQ(world.sandbox.get(kVolumes + "/pvc-u1").code, 404);
}

TEST(StorageDriverTest, OtherVolumesOfAHostsPathAreLeftAlone) {
  StorageWorld world;
  add_failed_volume(world, "u1", "/tmp/", "Retain");
  add_failed_volume(world, "u2", "/data/", "Delete");
  add_failed_volume(world, "u3", "/tmp/", "Delete",
                    R"("pv.kubernetes.io/provisioned-by":"example.com/p")");
  for (const char* name : {"/pvc-u1", "/pvc-u2", "/pvc-u3"}) {
    EXPECT_EQ(world.sandbox.get(kVolumes + name).code, 200) << name;
  }
}

TEST(StorageDriverTest, BoundClaimGrowsWithItsVolume) {
  StorageWorld world;
  world.create_bound_claim("data");
  world.merge(StorageWorld::claim_path("data"),
              R"({"spec":{"resources":{"requests":{"storage":"5Gi"}}}})");
  EXPECT_EQ(world.volume("data").text_at({"spec", "capacity", "storage"}), "5Gi");
  EXPECT_EQ(world.claim("data").text_at({"status", "capacity", "storage"}), "5Gi");
  EXPECT_THAT(world.events("data"), Contains("VolumeResizeSuccessful Resize volume succeeded"));
}

TEST(StorageDriverTest, BoundClaimChangesItsAttributesClass) {
  StorageWorld world;
  world.create_bound_claim("data");
  world.merge(StorageWorld::claim_path("data"), R"({"spec":{"volumeAttributesClassName":"gold"}})");
  EXPECT_EQ(world.volume("data").text_at({"spec", "volumeAttributesClassName"}), "gold");
  EXPECT_EQ(world.claim("data").text_at({"status", "currentVolumeAttributesClassName"}), "gold");
}

TEST(StorageDriverTest, NodesLimitFollowsItsAnnotation) {
  StorageWorld world;
  world.merge("/api/v1/nodes/node-2",
              R"({"metadata":{"annotations":{"sandbox.davit.dev/volumes-max":"1"}}})");
  const Json csi_node = world.read("/apis/storage.k8s.io/v1/csinodes/node-2");
  EXPECT_EQ(to_text(csi_node.get("spec").get("drivers").items()[0].get("allocatable")),
            R"({"count":1})");
}

TEST(StorageDriverTest, VolumesOfOtherDriversAreLeftAlone) {
  StorageWorld world;
  world.create_claim("data");
  world.merge(StorageWorld::claim_path("data"),
              R"({"metadata":{"annotations":{"volume.kubernetes.io/storage-provisioner":)"
              R"("example.com/p"}}})");
  world.must(world.sandbox.post(
      "/apis/storage.k8s.io/v1/volumeattachments",
      R"({"metadata":{"name":"x"},"spec":{"attacher":"example.com","nodeName":"node-1",)"
      R"("source":{"persistentVolumeName":"v"}}})"));
  world.pass(seconds(5));
  EXPECT_EQ(world.read(kVolumes).get("items").size(), 0U);
  EXPECT_FALSE(world.attachment("x").get("metadata").contains("finalizers"));
}

}  // namespace
}  // namespace davit::sandbox
