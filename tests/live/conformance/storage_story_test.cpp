/// The story of a StatefulSet with volumes of the simulated CSI driver, with davit as the only
/// controller manager: on the sandbox, and on the server of KUBEBUILDER_ASSETS with simulated nodes
/// beside it. Needs kubectl.
///
/// DAVIT_STORAGE_SWAPS sets how often each of the four plugins is swapped (50).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <sstream>
#include <thread>

#include "tests/live/soak/environment.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kAllInUse[] = "{.items[*].status.volumesInUse[*]}";
constexpr char kAllAttached[] = "{.items[*].status.volumesAttached[*].name}";
constexpr char kForced[] = "attach_detach_controller_attachdetach_controller_forced_detaches";

/// A lost node keeps its volumes for twenty seconds without a taint. A node counts as lost after as
/// long.
constexpr char kManifest[] = R"(apiVersion: davit.dev/v1alpha1
kind: ControllerHost
plugins:
- name: statefulset
- name: garbagecollector
- name: podgc
- name: nodelifecycle
  controllers:
    node-lifecycle-controller:
      config: {nodeMonitorPeriod: 1s, nodeMonitorGracePeriod: 20s}
- name: volumebinder
- name: attachdetach
  controllers:
    persistentvolume-attach-detach-controller:
      config: {forceDetachAfter: 20s}
- name: volumeprotection
- name: ephemeralvolume
)";
constexpr const char* kSwapped[] = {"volumebinder", "attachdetach", "volumeprotection",
                                    "ephemeralvolume"};

constexpr char kClasses[] = R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: kept}
provisioner: sandbox.davit.dev
reclaimPolicy: Retain
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttributesClass
metadata: {name: gold}
driverName: sandbox.davit.dev
parameters: {iops: "9"}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: kept}
spec: {accessModes: [ReadWriteOnce], storageClassName: kept, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: scratch}
spec:
  terminationGracePeriodSeconds: 0
  containers: [{name: c, image: i, volumeMounts: [{name: tmp, mountPath: /tmp}]}]
  volumes:
  - name: tmp
    ephemeral:
      volumeClaimTemplate:
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
)";

/// Its claims stay when it is deleted or scaled.
constexpr char kSet[] = R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  replicas: 5
  serviceName: web
  selector: {matchLabels: {app: web}}
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Retain}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: c, image: i, volumeMounts: [{name: data, mountPath: /data}]}]
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
)";

using Kubectl = std::function<Outcome(const std::vector<std::string>&, const std::string&)>;

/// The chapters, in their order. Each ends when its state is reached, and fails the test otherwise.
class StorageStory {
 public:
  /// `logs`: of all programs, for a failure.
  StorageStory(Kubectl kubectl, std::function<std::string()> logs)
      : kubectl_(std::move(kubectl)), logs_(std::move(logs)) {}

  void begin() {
    ASSERT_TRUE(becomes({"storageclass", "sandbox"}, "{.metadata.name}", "sandbox"));
    must({"create", "-f", "-"}, kClasses);
    must({"create", "-f", "-"}, kSet);
    ASSERT_TRUE(is_ready("5"));
    for (int i = 0; i < 5; ++i) {
      const std::string volume = volume_of("data-web-" + std::to_string(i));
      EXPECT_EQ(get({"pv", volume}, "{.spec.csi.driver} {.status.phase}"),
                "sandbox.davit.dev Bound");
      EXPECT_EQ(nodes_of(volume), node_of("web-" + std::to_string(i)));
    }
    EXPECT_TRUE(becomes({"pod", "scratch"}, "{.status.phase}", "Running"));
    EXPECT_TRUE(becomes({"pvc", "kept"}, "{.status.phase}", "Bound"));
    kept_ = volume_of("kept");
  }

  /// A claim grows, and its volume's attributes change.
  void change() {
    const std::string volume = volume_of("data-web-0");
    must({"patch", "pvc", "data-web-0", "-p",
          R"({"spec":{"resources":{"requests":{"storage":"2Gi"}}}})"});
    EXPECT_TRUE(becomes({"pvc", "data-web-0"}, "{.status.capacity.storage}", "2Gi"));
    EXPECT_EQ(get({"pv", volume}, "{.spec.capacity.storage}"), "2Gi");
    must({"patch", "pvc", "data-web-0", "-p", R"({"spec":{"volumeAttributesClassName":"gold"}})"});
    EXPECT_TRUE(
        becomes({"pvc", "data-web-0"}, "{.status.currentVolumeAttributesClassName}", "gold"));
    EXPECT_EQ(get({"pv", volume}, "{.spec.volumeAttributesClassName}"), "gold");
    must({"delete", "volumeattributesclass", "gold", "--wait=false"});
  }

  /// A claim is deleted while its pod runs.
  void delete_a_claim_in_use() {
    const std::string used = volume_of("data-web-2");
    must({"delete", "pvc", "data-web-2", "--wait=false"});
    EXPECT_NE(get({"pvc", "data-web-2"}, "{.metadata.deletionTimestamp}"), "");
    EXPECT_EQ(get({"pvc", "data-web-2"}, "{.metadata.finalizers[*]}"),
              "kubernetes.io/pvc-protection");
    EXPECT_EQ(get({"pod", "web-2"}, "{.status.phase}"), "Running");
    EXPECT_EQ(get({"pv", used}, "{.status.phase}"), "Bound");
    must({"delete", "pod", "web-2"});
    EXPECT_TRUE(is_gone("pv", used));
    EXPECT_TRUE(is_ready("5"));
    EXPECT_NE(volume_of("data-web-2"), used);
  }

  /// The node gets no taint of an administrator, who deletes its pods by force.
  void lose_a_node_without_taint() {
    const std::string volume = volume_of("data-web-0");
    const std::string lost = node_of("web-0");
    stop(lost);
    EXPECT_EQ(nodes_of(volume), lost) << "it may still be in use";
    must({"delete", "pods", "--selector=app=web", "--field-selector=spec.nodeName=" + lost,
          "--force", "--grace-period=0", "--wait=false"});
    EXPECT_TRUE(moves("web-0", volume, lost));
    EXPECT_TRUE(is_ready("5"));
    EXPECT_EQ(volume_of("data-web-0"), volume) << "the data moved with its pod";
    start(lost);
  }

  void lose_a_node_out_of_service() {
    const std::string volume = volume_of("data-web-1");
    const std::string lost = node_of("web-1");
    stop(lost);
    EXPECT_EQ(nodes_of(volume), lost) << "it may still be in use";
    must({"taint", "node", lost, "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"});
    EXPECT_TRUE(moves("web-1", volume, lost));
    EXPECT_TRUE(is_ready("5"));
    EXPECT_EQ(volume_of("data-web-1"), volume) << "the data moved with its pod";
    must({"taint", "node", lost, "node.kubernetes.io/out-of-service-"});
    start(lost);
  }

  /// The set shrinks and goes, with each policy for its claims.
  void retain_and_delete() {
    const std::string claims[] = {"data-web-0", "data-web-1", "data-web-2"};
    std::map<std::string, std::string> volumes;
    for (const std::string& each : claims) volumes[each] = volume_of(each);
    const std::string fourth = volume_of("data-web-3");
    const std::string fifth = volume_of("data-web-4");
    scale("4");
    EXPECT_EQ(get({"pvc", "data-web-4"}, "{.status.phase}"), "Bound") << "whenScaled: Retain";
    set_policies("Retain", "Delete");
    scale("3");
    EXPECT_TRUE(is_gone("pvc", "data-web-3"));
    EXPECT_TRUE(is_gone("pv", fourth));

    must({"delete", "statefulset", "web"});
    EXPECT_TRUE(becomes({"pods", "--selector=app=web"}, "{.items[*].metadata.name}", ""));
    for (const std::string& each : claims) {
      EXPECT_EQ(get({"pvc", each}, "{.status.phase}"), "Bound") << "whenDeleted: Retain";
    }
    must({"create", "-f", "-"}, kSet);
    ASSERT_TRUE(is_ready("5"));
    for (const auto& [claim, volume] : volumes) EXPECT_EQ(volume_of(claim), volume);
    EXPECT_EQ(volume_of("data-web-4"), fifth) << "it waited for its pod";
    EXPECT_NE(volume_of("data-web-3"), fourth);

    set_policies("Delete", "Retain");
    must({"delete", "statefulset", "web"});
    EXPECT_TRUE(becomes({"pvc"}, "{.items[*].metadata.name}", "kept scratch-tmp"));
  }

  void end() {
    must({"delete", "pod", "scratch"});
    must({"delete", "pvc", "kept", "--wait=false"});
    EXPECT_TRUE(becomes({"pods,pvc,volumeattachments,volumeattributesclasses"},
                        "{.items[*].metadata.name}", ""));
    EXPECT_TRUE(
        becomes({"pv"}, "{.items[*].metadata.name} {.items[*].status.phase}", kept_ + " Released"));
    EXPECT_TRUE(becomes({"nodes"}, kAllInUse, ""));
    EXPECT_TRUE(becomes({"nodes"}, kAllAttached, ""));
  }

 private:
  std::string must(const std::vector<std::string>& args, const std::string& input = "") const {
    const Outcome outcome = kubectl_(args, input);
    EXPECT_EQ(outcome.code, 0) << args.front() << ": " << outcome.err;
    return outcome.out;
  }
  [[nodiscard]] std::string get(const std::vector<std::string>& objects,
                                const std::string& path) const {
    std::vector<std::string> args = {"get"};
    args.insert(args.end(), objects.begin(), objects.end());
    args.push_back("-o=jsonpath=" + path);
    const Outcome outcome = kubectl_(args, "");
    return outcome.code == 0 ? outcome.out : "kubectl: " + outcome.err;
  }
  [[nodiscard]] testing::AssertionResult becomes(const std::vector<std::string>& objects,
                                                 const std::string& path,
                                                 const std::string& value) const {
    std::string last;
    if (eventually(minutes(4), [&] { return (last = get(objects, path)) == value; })) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure()
           << objects.back() << " " << path << " is \"" << last << "\", not \"" << value << "\"\n"
           << must({"get", "nodes,pods,pvc,pv,volumeattachments,events", "-o=wide"}) << logs_();
  }
  [[nodiscard]] testing::AssertionResult is_gone(const std::string& kind,
                                                 const std::string& name) const {
    return becomes({kind, "--ignore-not-found", name}, "{.metadata.name}", "");
  }
  [[nodiscard]] testing::AssertionResult is_ready(const std::string& replicas) const {
    return becomes({"statefulset", "web"}, "{.status.replicas} {.status.readyReplicas}",
                   replicas + " " + replicas);
  }
  [[nodiscard]] std::string volume_of(const std::string& claim) const {
    return get({"pvc", claim}, "{.spec.volumeName}");
  }
  [[nodiscard]] std::string node_of(const std::string& pod) const {
    return get({"pod", "--ignore-not-found", pod}, "{.spec.nodeName}");
  }
  /// The nodes to which the volume is attached.
  [[nodiscard]] std::string nodes_of(const std::string& volume) const {
    return get({"volumeattachments"},
               "{.items[?(@.spec.source.persistentVolumeName==\"" + volume + "\")].spec.nodeName}");
  }
  /// At no time is the volume attached to two nodes.
  [[nodiscard]] testing::AssertionResult moves(const std::string& pod, const std::string& volume,
                                               const std::string& lost) const {
    std::string nodes;
    const bool has_moved = eventually(minutes(4), [&] {
      nodes = nodes_of(volume);
      if (nodes.starts_with("kubectl: ")) return false;
      EXPECT_THAT(nodes, testing::Not(HasSubstr(" "))) << "attached to two nodes";
      const std::string now = node_of(pod);
      return !now.empty() && now != lost && nodes == now;
    });
    if (has_moved) return testing::AssertionSuccess();
    return testing::AssertionFailure() << volume << " is on " << nodes << logs_();
  }

  void stop(const std::string& node) const {
    must({"annotate", "--overwrite", "node", node, "sandbox.davit.dev/node=stopped"});
    EXPECT_TRUE(
        becomes({"node", node}, "{.status.conditions[?(@.type==\"Ready\")].status}", "Unknown"));
  }
  void start(const std::string& node) const {
    must({"annotate", "--overwrite", "node", node, "sandbox.davit.dev/node=running"});
    EXPECT_TRUE(
        becomes({"node", node}, "{.status.conditions[?(@.type==\"Ready\")].status}", "True"));
  }
  void scale(const std::string& replicas) const {
    must({"scale", "statefulset", "web", "--replicas=" + replicas});
    EXPECT_TRUE(is_ready(replicas));
  }
  void set_policies(const std::string& when_deleted, const std::string& when_scaled) const {
    must({"patch", "statefulset", "web", "-p",
          R"({"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":")" + when_deleted +
              R"(","whenScaled":")" + when_scaled + R"("}}})"});
    EXPECT_TRUE(becomes({"statefulset", "web"}, "{.status.observedGeneration}",
                        get({"statefulset", "web"}, "{.metadata.generation}")));
  }

  const Kubectl kubectl_;
  const std::function<std::string()> logs_;
  std::string kept_;  ///< The volume whose class has the policy Retain.
};

class StorageStoryTest : public testing::Test {
 protected:
  std::vector<std::string> davit_flags() const {
    const std::filesystem::path file = scratch_.path() / "davit.yaml";
    write_file(file, kManifest);
    return {"--manifest=" + file.string(), "--leader-elect=false", "--kube-api-qps=200",
            "--kube-api-burst=400", "--control-socket=" + socket()};
  }
  [[nodiscard]] std::string socket() const { return (scratch_.path() / "davit.sock").string(); }
  [[nodiscard]] Outcome ctl(const std::vector<std::string>& args) const {
    std::vector<std::string> argv = {DAVIT_PROGRAM, "ctl"};
    argv.insert(argv.end(), args.begin(), args.end());
    argv.push_back("--control-socket=" + socket());
    return run(argv);
  }
  /// Swaps each plugin so many times, in turn; the commands that failed.
  [[nodiscard]] std::vector<std::string> swap_all(int swaps) const {
    std::vector<std::string> failed;
    for (int i = 0; i < swaps; ++i) {
      for (const char* plugin : kSwapped) {
        const Outcome swapped = ctl({"swap", plugin});
        if (swapped.code != 0) failed.push_back(std::string(plugin) + ": " + swapped.err);
      }
    }
    return failed;
  }
  /// All chapters, while the plugins are swapped; the last one begins after the last swap.
  void play(StorageStory& story) const {
    ASSERT_TRUE(eventually(minutes(4), [&] { return ctl({"status"}).code == 0; }));
    std::vector<std::string> failed;
    {
      const std::jthread swapping(
          [&] { failed = swap_all(from_environment("DAVIT_STORAGE_SWAPS", 50)); });
      story.begin();
      story.change();
      story.delete_a_claim_in_use();
      story.lose_a_node_without_taint();
      story.lose_a_node_out_of_service();
      story.retain_and_delete();
    }
    EXPECT_THAT(failed, IsEmpty());
    story.end();
  }
  /// A node lost its volumes because it did not respond, and one because of its taint.
  void expect_both_forces(int port) const {
    const std::string page =
        run({"kubectl", "--kubeconfig=/dev/null",
             "--server=http://127.0.0.1:" + std::to_string(port), "get", "--raw=/metrics"})
            .out;
    EXPECT_THAT(page, HasSubstr(std::string(kForced) + R"({reason="timeout"})"));
    EXPECT_THAT(page, HasSubstr(std::string(kForced) + R"({reason="out-of-service"})"));
  }

  const ScratchDir scratch_;
  const int port_ = free_port();
};

TEST_F(StorageStoryTest, SwapsChangeNothingOfTheLifeOfASetOnASandbox) {
  Sandbox sandbox(
      {"--controllers=accounts,nodes,scheduler,events,storage", "--nodes=5", "--lease-period=2s"});
  std::vector<std::string> flags = davit_flags();
  flags.push_back("--port=" + std::to_string(port_));
  const auto davit = sandbox.davit(flags);
  StorageStory story([&](const auto& args, const auto& in) { return sandbox.kubectl(args, in); },
                     [&] { return davit->output() + sandbox.output(); });
  play(story);
  expect_both_forces(port_);
}

TEST_F(StorageStoryTest, SwapsChangeNothingOfTheLifeOfASetOnARealServer) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  ControlPlane cluster;
  const auto nodes = cluster.nodes({"--nodes=5", "--lease-period=2s", "--storage"});
  std::vector<std::string> flags = davit_flags();
  flags.push_back("--port=" + std::to_string(port_));
  const auto davit = cluster.davit(flags);
  StorageStory story([&](const auto& args, const auto& in) { return cluster.kubectl(args, in); },
                     [&] { return davit->output() + nodes->output(); });
  play(story);
  expect_both_forces(port_);
}

}  // namespace
}  // namespace davit::live
