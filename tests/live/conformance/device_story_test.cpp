/// The story of devices of the simulated driver, with davit as the only controller manager: on the
/// sandbox, and on the server of KUBEBUILDER_ASSETS, if that has resource.k8s.io/v1, with simulated
/// nodes beside it. Needs kubectl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <sstream>

#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;

constexpr char kManifest[] = R"(apiVersion: davit.dev/v1alpha1
kind: ControllerHost
plugins:
- name: deployment
- name: replicaset
- name: garbagecollector
- name: resourceclaim
- name: devicetaint
)";

/// Each pod gets a claim of its own for one device; the pod `patient` tolerates what happens to its
/// device, and is alone with the claim `shared`.
constexpr char kObjects[] = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one}
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          deviceClassName: sandbox
          selectors:
          - cel: {expression: 'device.attributes["devices.sandbox.davit.dev"].type == "gpu"'}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
      resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared}
spec:
  devices:
    requests:
    - name: gpu
      exactly: {deviceClassName: sandbox, tolerations: [{operator: Exists}]}
---
apiVersion: v1
kind: Pod
metadata: {name: patient}
spec:
  terminationGracePeriodSeconds: 0
  containers: [{name: c, image: i}]
  resourceClaims: [{name: gpu, resourceClaimName: shared}]
)";

using Kubectl = std::function<Outcome(const std::vector<std::string>&, const std::string&)>;

/// The chapters, in their order. Each ends when its state is reached, and fails the test otherwise.
class DeviceStory {
 public:
  /// `logs`: of all programs, for a failure.
  DeviceStory(Kubectl kubectl, std::function<std::string()> logs)
      : kubectl_(std::move(kubectl)), logs_(std::move(logs)) {}

  /// Two nodes have two devices each, and three pods one.
  void begin() {
    ASSERT_TRUE(becomes({"deviceclass", "sandbox"}, "{.metadata.name}", "sandbox"));
    must({"create", "-f", "-"}, kObjects);
    ASSERT_TRUE(is_ready("2"));
    ASSERT_TRUE(becomes({"pod", "patient"}, "{.status.phase}", "Running"));
    EXPECT_TRUE(uses_devices(3));
    EXPECT_EQ(get({"resourceclaim", "shared"}, "{.status.reservedFor[*].name}"), "patient");
    EXPECT_EQ(get({"resourceclaim", "shared"}, "{.status.devices[0].conditions[0].type}"), "Ready");
  }

  /// The driver withdraws the device of one pod.
  void withdraw() {
    const std::string pod = get({"pods", "-l=app=web"}, "{.items[0].metadata.name}");
    const std::string claim = claim_of(pod);
    const std::string node = get({"pod", pod}, "{.spec.nodeName}");
    const std::string device = device_of(claim);
    must({"annotate", "node", node, "sandbox.davit.dev/withdrawn-devices=" + device});
    EXPECT_TRUE(is_gone("pod", pod));
    EXPECT_TRUE(becomes({"events", "--field-selector=reason=DeviceTaintManagerEviction"},
                        "{.items[*].involvedObject.name}", pod));
    EXPECT_TRUE(is_gone("resourceclaim", claim));
    ASSERT_TRUE(uses_devices(3));
    EXPECT_FALSE(devices_in_use().contains(node + "/" + device)) << "its successor got another";
    EXPECT_TRUE(is_ready("2"));
    must({"annotate", "node", node, "sandbox.davit.dev/withdrawn-devices-"});
  }

  /// Everything is withdrawn; the replacements wait until it is back.
  void withdraw_all() {
    const std::string uid = get({"pod", "patient"}, "{.metadata.uid}");
    must({"annotate", "nodes", "--all", "sandbox.davit.dev/withdrawn-devices=*"});
    EXPECT_TRUE(becomes({"pods", "-l=app=web"},
                        "{range .items[*]}{.status.conditions[0].message};{end}",
                        kRefusal + ";" + kRefusal + ";"));
    EXPECT_TRUE(uses_devices(1));
    EXPECT_EQ(get({"pod", "patient"}, "{.metadata.uid}{.metadata.deletionTimestamp}"), uid)
        << "it tolerates the taint";
    must({"annotate", "nodes", "--all", "sandbox.davit.dev/withdrawn-devices-"});
    EXPECT_TRUE(uses_devices(3));
    EXPECT_TRUE(is_ready("2"));
  }

  void end() {
    must({"delete", "deployment", "web"});
    must({"delete", "pod", "patient"});
    EXPECT_TRUE(becomes({"resourceclaims"}, "{.items[*].metadata.name}", "shared"));
    EXPECT_TRUE(becomes({"resourceclaim", "shared"}, "{.status}{.metadata.finalizers}", "{}"))
        << "it is free again";
    must({"delete", "resourceclaim", "shared"});
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
           << must({"get", "nodes,pods,resourceclaims,resourceslices,events", "-o=wide"})
           << logs_();
  }
  [[nodiscard]] testing::AssertionResult is_gone(const std::string& kind,
                                                 const std::string& name) const {
    return becomes({kind, "--ignore-not-found", name}, "{.metadata.name}", "");
  }
  [[nodiscard]] testing::AssertionResult is_ready(const std::string& replicas) const {
    return becomes({"deployment", "web"}, "{.status.replicas} {.status.readyReplicas}",
                   replicas + " " + replicas);
  }
  [[nodiscard]] std::string claim_of(const std::string& pod) const {
    return get({"pod", pod}, "{.status.resourceClaimStatuses[0].resourceClaimName}");
  }
  [[nodiscard]] std::string device_of(const std::string& claim) const {
    return get({"resourceclaim", claim}, "{.status.allocation.devices.results[0].device}");
  }
  /// "NODE/DEVICE" of all claims; ends the chapter if one device is in two.
  [[nodiscard]] std::set<std::string> devices_in_use() const {
    std::istringstream all(get({"resourceclaims"},
                               "{range .items[*]}{range .status.allocation.devices.results[*]}"
                               "{.pool}/{.device} {end}{end}"));
    std::set<std::string> out;
    for (std::string each; all >> each;) {
      EXPECT_TRUE(out.insert(each).second) << each << " has two claims";
    }
    return out;
  }

  /// Whether the claims come to have so many devices.
  [[nodiscard]] testing::AssertionResult uses_devices(std::size_t count) const {
    if (eventually(minutes(4), [&] { return devices_in_use().size() == count; })) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure()
           << devices_in_use().size() << " devices are in use, not " << count << "\n"
           << must({"get", "pods,resourceclaims,events", "-o=wide"}) << logs_();
  }

  const std::string kRefusal = "0/2 nodes are available: 2 cannot allocate all claims.";
  const Kubectl kubectl_;
  const std::function<std::string()> logs_;
};

class DeviceStoryTest : public testing::Test {
 protected:
  std::vector<std::string> davit_flags() const {
    const std::filesystem::path file = scratch_.path() / "davit.yaml";
    write_file(file, kManifest);
    return {"--manifest=" + file.string(), "--leader-elect=false", "--kube-api-qps=200",
            "--kube-api-burst=400"};
  }
  static void play(DeviceStory& story) {
    story.begin();
    if (HasFatalFailure()) return;
    story.withdraw();
    if (HasFatalFailure()) return;
    story.withdraw_all();
    story.end();
  }

  const ScratchDir scratch_;
};

TEST_F(DeviceStoryTest, ADeviceTakenAwayEvictsItsPodOnASandbox) {
  Sandbox sandbox(
      {"--controllers=accounts,nodes,scheduler,events,devices", "--nodes=2", "--node-devices=2"});
  const auto davit = sandbox.davit(davit_flags());
  DeviceStory story([&](const auto& args, const auto& in) { return sandbox.kubectl(args, in); },
                    [&] { return davit->output() + sandbox.output(); });
  play(story);
}

TEST_F(DeviceStoryTest, ADeviceTakenAwayEvictsItsPodOnARealServer) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  if (server_minor() < 34) GTEST_SKIP() << "resource.k8s.io/v1 came with v1.34";
  ControlPlane cluster;
  const auto nodes = cluster.nodes({"--nodes=2", "--node-devices=2"});
  const auto davit = cluster.davit(davit_flags());
  DeviceStory story([&](const auto& args, const auto& in) { return cluster.kubectl(args, in); },
                    [&] { return davit->output() + nodes->output(); });
  play(story);
}

}  // namespace
}  // namespace davit::live
