/// A namespace full of objects is deleted: the same story on a real API server with davit, and with
/// kube-controller-manager instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/live/conformance/custom_kind.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

/// Far beyond what anything takes on a busy machine under sanitizers.
constexpr seconds kDeletionTimeout{240};

constexpr char kNamespaceManifest[] = R"(apiVersion: davit.dev/v1alpha1
kind: ControllerHost
leaderElection: {enabled: false}
client: {qps: 400, burst: 3000}
plugins:
- name: namespace
)";

constexpr char kFullNamespace[] = R"(apiVersion: v1
kind: ConfigMap
metadata: {name: plain}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: held, finalizers: [f.io/a, f.io/b]}
---
apiVersion: v1
kind: Secret
metadata: {name: plain}
---
apiVersion: v1
kind: Service
metadata: {name: plain}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: unbound}
spec: {containers: [{name: main, image: main}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: held, finalizers: [f.io/a]}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: main, image: main}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: plain}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: plain}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: plain}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: held, finalizers: [f.io/a]}
)";

/// The conditions that the controller sets on the namespace, one a line.
constexpr char kConditionLines[] =
    "go-template={{.status.phase}}{{\"\\n\"}}{{range .status.conditions}}{{.type}}={{.status}} "
    "{{.reason}}: {{.message}}{{\"\\n\"}}{{end}}";

constexpr char kHeldLines[] =
    "Terminating\n"
    "NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered: "
    "All resources successfully discovered\n"
    "NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions: "
    "All legacy kube types successfully parsed\n"
    "NamespaceDeletionContentFailure=False ContentDeleted: "
    "All content successfully deleted, may be waiting on finalization\n"
    "NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: "
    "configmaps. has 1 resource instances, deployments.apps has 1 resource instances, "
    "widgets.example.com has 1 resource instances\n"
    "NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has "
    "finalizers remaining: f.io/a in 3 resource instances, f.io/b in 1 resource instances\n";

enum class Deleter { kDavit, kOriginal };

void PrintTo(Deleter setting, std::ostream* out) { *out << static_cast<int>(setting); }

std::string deleter_name(const testing::TestParamInfo<Deleter>& info) {
  return info.param == Deleter::kDavit ? "DavitOnARealServer" : "KubeControllerManager";
}

class NamespaceLifeTest : public testing::TestWithParam<Deleter> {
 protected:
  void SetUp() override {
    if (assets().empty()) GTEST_SKIP() << no_assets();
    cluster_ = std::make_unique<ControlPlane>();
    if (GetParam() == Deleter::kOriginal) {
      controllers_ = cluster_->controller_manager("namespace");
      return;
    }
    // davit may do no more here than `davit rbac` says.
    const std::filesystem::path manifest = cluster_->scratch() / "namespace.yaml";
    write_file(manifest, kNamespaceManifest);
    controllers_ = cluster_->davit({"--manifest=" + manifest.string(),
                                    "--kubeconfig=" + cluster_->kubeconfig_of_roles(manifest)});
  }
  void TearDown() override {
    if (HasFailure() && controllers_) std::cout << controllers_->output();
  }

  [[nodiscard]] std::string conditions() const {
    return cluster_->kubectl({"get", "namespace", "x", "-o", kConditionLines}).out;
  }
  [[nodiscard]] bool is_gone() const {
    return cluster_->kubectl({"get", "namespace", "x", "-o=name", "--ignore-not-found"})
        .out.empty();
  }
  void release(const std::string& object) const {
    static_cast<void>(cluster_->must({"patch", "--namespace=x", object, "--type=merge",
                                      "--patch={\"metadata\":{\"finalizers\":null}}"}));
  }

  std::unique_ptr<ControlPlane> cluster_;
  std::unique_ptr<Process> controllers_;
};

INSTANTIATE_TEST_SUITE_P(Everywhere, NamespaceLifeTest,
                         testing::Values(Deleter::kDavit, Deleter::kOriginal), deleter_name);

TEST_P(NamespaceLifeTest, BuiltInAndCustomObjectsGoAndFinalizersAreReportedAndAwaited) {
  // Defined after the controller has begun.
  define_kind(*cluster_, "Widget", "widgets");
  cluster_->must({"create", "namespace", "x"});
  cluster_->must({"create", "--namespace=x", "-f", "-"}, kFullNamespace);

  cluster_->must({"delete", "namespace", "x", "--wait=false"});

  EXPECT_TRUE(eventually(
      kDeletionTimeout, [&] { return conditions() == kHeldLines; }, milliseconds(200)))
      << conditions();
  EXPECT_EQ(cluster_->must({"get", "--namespace=x", "-o=name",
                            "pods,services,secrets,roles,leases,configmaps,deployments,widgets"}),
            "configmap/held\ndeployment.apps/held\nwidget.example.com/held\n");

  for (const char* each : {"configmap/held", "deployment/held", "widget/held"}) release(each);
  EXPECT_TRUE(eventually(
      kDeletionTimeout, [&] { return is_gone(); }, milliseconds(200)))
      << conditions();
  EXPECT_THAT(controllers_->output(), Not(HasSubstr("orbidden")));
}

}  // namespace
}  // namespace davit::live
