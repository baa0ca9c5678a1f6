/// Claims and volumes on `davit sandbox` with davit's plugins and the simulated CSI driver, as a
/// user sees them. Needs kubectl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;

constexpr char kControllers[] =
    "--controllers=statefulset-controller,persistentvolume-binder-controller,"
    "persistentvolume-expander-controller,persistentvolume-attach-detach-controller,"
    "persistentvolumeclaim-protection-controller,persistentvolume-protection-controller,"
    "ephemeral-volume-controller,node-lifecycle-controller,taint-eviction-controller,"
    "pod-garbage-collector-controller";
constexpr char kInUse[] = "{.status.volumesInUse}";

/// `claims`: what happens to claims when the set is deleted or scaled: "Retain" or "Delete".
std::string stateful_set(const std::string& claims) {
  return R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"web"},"spec":{
      "replicas":2,"serviceName":"web","selector":{"matchLabels":{"app":"web"}},
      "persistentVolumeClaimRetentionPolicy":{"whenDeleted":")" +
         claims + R"(","whenScaled":")" + claims + R"("},
      "template":{"metadata":{"labels":{"app":"web"}},"spec":{
        "terminationGracePeriodSeconds":0,
        "containers":[{"name":"c","image":"i","volumeMounts":[{"name":"data","mountPath":"/d"}]}]}},
      "volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],
        "resources":{"requests":{"storage":"1Gi"}}}}]}})";
}

class StorageLifeTest : public testing::Test {
 protected:
  explicit StorageLifeTest(const std::vector<std::string>& flags) : sandbox_(flags) {}

  std::string run(const std::vector<std::string>& args, const std::string& input = "") {
    const Outcome outcome = sandbox_.kubectl(args, input);
    EXPECT_EQ(outcome.code, 0) << args.front() << ": " << outcome.err;
    return outcome.out;
  }
  std::string field(const std::vector<std::string>& object, const std::string& path) {
    std::vector<std::string> args = {"get"};
    args.insert(args.end(), object.begin(), object.end());
    args.push_back("-o=jsonpath=" + path);
    const Outcome outcome = sandbox_.kubectl(args);
    return outcome.code == 0 ? outcome.out : "kubectl: " + outcome.err;
  }
  testing::AssertionResult becomes(const std::vector<std::string>& object, const std::string& path,
                                   const std::string& value) {
    std::string last;
    if (eventually(minutes(4), [&] { return (last = field(object, path)) == value; })) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure()
           << object.back() << " " << path << " is \"" << last << "\", not \"" << value << "\"\n"
           << run({"get", "pods,pvc,pv,volumeattachments,events", "-o=wide"}) << sandbox_.output();
  }
  testing::AssertionResult is_gone(const std::string& kind, const std::string& name) {
    return becomes({kind, "--ignore-not-found", name}, "{.metadata.name}", "");
  }
  /// Waits until the object's description has the text of an event, which is written behind what it
  /// is about.
  bool describes(const std::string& kind, const std::string& name, const std::string& text) {
    return eventually(minutes(4), [&] {
      return sandbox_.kubectl({"describe", kind, name}).out.find(text) != std::string::npos;
    });
  }
  testing::AssertionResult becomes_ready(const std::string& replicas) {
    return becomes({"statefulset", "web"}, "{.status.readyReplicas}", replicas);
  }
  std::string volume_of(const std::string& claim) {
    return field({"pvc", claim}, "{.spec.volumeName}");
  }
  /// The nodes to which the volume is attached.
  std::string nodes_of(const std::string& volume) {
    return field({"volumeattachments"}, "{.items[?(@.spec.source.persistentVolumeName==\"" +
                                            volume + "\")].spec.nodeName}");
  }

  Sandbox sandbox_;
};

class StorageInTheSandboxTest : public StorageLifeTest {
 protected:
  StorageInTheSandboxTest() : StorageLifeTest({"--controllers=*"}) {}
};

TEST_F(StorageInTheSandboxTest, SetGetsItsVolumesByThePluginsAndReleasesThem) {
  run({"create", "-f", "-"}, stateful_set("Delete"));
  EXPECT_TRUE(becomes_ready("2"));
  for (const std::string claim : {"data-web-0", "data-web-1"}) {
    const std::string volume = volume_of(claim);
    EXPECT_EQ(field({"pvc", claim}, "{.spec.storageClassName} {.status.phase}"), "sandbox Bound");
    EXPECT_EQ(field({"pv", volume}, "{.spec.csi.driver}"), "sandbox.davit.dev");
    EXPECT_TRUE(eventually(minutes(4), [&] {
      return field({"node", nodes_of(volume)}, kInUse).find("^" + volume) != std::string::npos;
    })) << volume;
  }
  EXPECT_TRUE(describes("pod", "web-0", "SuccessfulAttachVolume"));
  EXPECT_TRUE(describes("pvc", "data-web-0", "ProvisioningSucceeded"));

  const std::string second = volume_of("data-web-1");
  run({"scale", "statefulset", "web", "--replicas=1"});
  EXPECT_TRUE(is_gone("pvc", "data-web-1"));
  EXPECT_TRUE(is_gone("pv", second));
  EXPECT_EQ(field({"pvc", "data-web-0"}, "{.status.phase}"), "Bound");

  run({"delete", "statefulset", "web"});

  EXPECT_TRUE(becomes({"pods,pvc,pv,volumeattachments"}, "{.items[*].metadata.name}", ""));
  for (const std::string node : {"node-1", "node-2", "node-3"}) {
    EXPECT_TRUE(
        becomes({"node", node}, "{.status.volumesInUse[*]}{.status.volumesAttached[*]}", ""));
  }
}

TEST_F(StorageInTheSandboxTest, ClaimsOfTheZonalClassFollowTheirPod) {
  run({"create", "-f", "-"},
      R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data"},"spec":{
          "accessModes":["ReadWriteOnce"],"storageClassName":"sandbox-zonal",
          "resources":{"requests":{"storage":"1Gi"}}}})");
  EXPECT_TRUE(becomes({"events", "--field-selector=reason=WaitForFirstConsumer"},
                      "{.items[0].involvedObject.name}", "data"));
  run({"create", "-f", "-"},
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{
          "nodeSelector":{"topology.kubernetes.io/zone":"zone-b"},
          "containers":[{"name":"c","image":"i"}],
          "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]}})");
  EXPECT_TRUE(becomes({"pod", "p"}, "{.status.phase}", "Running"));
  EXPECT_THAT(field({"pv", volume_of("data")}, "{.spec.nodeAffinity}"), HasSubstr("zone-b"));
}

/// davit runs beside the sandbox, with a node lifecycle that is quick to give up a node.
class StorageBesideTest : public StorageLifeTest {
 protected:
  StorageBesideTest()
      : StorageLifeTest({"--controllers=*,-plugins,storage", "--lease-period=2s"}),
        davit_(sandbox_.davit({kControllers, "--leader-elect=false", "--kube-api-qps=200",
                               "--node-monitor-period=1s", "--node-monitor-grace-period=20s"})) {}

  /// The node of a pod is lost. Its volume leaves it once it is out of service.
  void lose_the_node_of_web_0() {
    const std::string volume = volume_of("data-web-0");
    const std::string lost = field({"pod", "web-0"}, "{.spec.nodeName}");
    ASSERT_EQ(nodes_of(volume), lost);
    run({"annotate", "--overwrite", "node", lost, "sandbox.davit.dev/node=stopped"});
    EXPECT_TRUE(
        becomes({"node", lost}, "{.status.conditions[?(@.type==\"Ready\")].status}", "Unknown"))
        << davit_->output();
    EXPECT_EQ(nodes_of(volume), lost) << "it may still be in use";
    run({"taint", "node", lost, "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"});
    EXPECT_TRUE(eventually(minutes(4), [&] {
      const std::string now = field({"pod", "web-0"}, "{.spec.nodeName}");
      return !now.empty() && now != lost && nodes_of(volume) == now;
    })) << davit_->output();
    EXPECT_TRUE(becomes_ready("2")) << davit_->output();
    EXPECT_EQ(volume_of("data-web-0"), volume) << "the data moved with its pod";
    run({"taint", "node", lost, "node.kubernetes.io/out-of-service-"});
    run({"annotate", "--overwrite", "node", lost, "sandbox.davit.dev/node=running"});
  }

  const std::unique_ptr<Process> davit_;
};

TEST_F(StorageBesideTest, SetKeepsItsDataThroughGrowthALostNodeAndDeletion) {
  run({"create", "-f", "-"},
      R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"kept"},
          "provisioner":"sandbox.davit.dev","reclaimPolicy":"Retain"})");
  run({"create", "-f", "-"},
      R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"kept"},"spec":{
          "accessModes":["ReadWriteOnce"],"storageClassName":"kept",
          "resources":{"requests":{"storage":"1Gi"}}}})");
  run({"create", "-f", "-"}, stateful_set("Retain"));
  ASSERT_TRUE(becomes_ready("2")) << davit_->output();
  ASSERT_TRUE(becomes({"pvc", "kept"}, "{.status.phase}", "Bound"));
  const std::string kept = volume_of("kept");

  // A claim grows and changes its class, and one that is used outlives its deletion.
  run({"create", "-f", "-"},
      R"({"apiVersion":"storage.k8s.io/v1","kind":"VolumeAttributesClass",
          "metadata":{"name":"gold"},
          "driverName":"sandbox.davit.dev","parameters":{"iops":"9"}})");
  run({"patch", "pvc", "data-web-0", "-p", R"({"spec":{"volumeAttributesClassName":"gold"}})"});
  EXPECT_TRUE(becomes({"pvc", "data-web-0"}, "{.status.currentVolumeAttributesClassName}", "gold"));
  run({"patch", "pvc", "data-web-0", "-p",
       R"({"spec":{"resources":{"requests":{"storage":"2Gi"}}}})"});
  EXPECT_TRUE(becomes({"pvc", "data-web-0"}, "{.status.capacity.storage}", "2Gi"));
  const std::string used = volume_of("data-web-1");
  run({"delete", "pvc", "data-web-1", "--wait=false"});
  EXPECT_NE(field({"pvc", "data-web-1"}, "{.metadata.deletionTimestamp}"), "");
  EXPECT_EQ(field({"pod", "web-1"}, "{.status.phase}"), "Running");
  EXPECT_EQ(field({"pv", used}, "{.status.phase}"), "Bound");
  run({"delete", "pod", "web-1"});
  EXPECT_TRUE(is_gone("pv", used)) << davit_->output();
  EXPECT_TRUE(becomes_ready("2")) << davit_->output();
  EXPECT_NE(volume_of("data-web-1"), used);

  lose_the_node_of_web_0();
  const std::string volume = volume_of("data-web-0");

  // The set goes, its claims stay; each volume ends as its policy says.
  run({"delete", "statefulset", "web"});
  EXPECT_TRUE(becomes({"volumeattachments"}, "{.items[*].metadata.name}", ""));
  EXPECT_EQ(field({"pvc", "data-web-0"}, "{.status.phase}"), "Bound");
  run({"delete", "pvc", "--all", "--timeout=240s"});
  EXPECT_TRUE(is_gone("pv", volume)) << davit_->output();
  EXPECT_TRUE(becomes({"pv"}, "{.items[*].metadata.name}", kept));
  EXPECT_TRUE(becomes({"pv", kept}, "{.status.phase}", "Released"));
}

}  // namespace
}  // namespace davit::live
