/// Owners go, in every way that kubectl offers: the same story on a real API server with davit, and
/// with kube-controller-manager instead. Its own garbage collector and namespace controller are off
/// where davit's run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/live/conformance/custom_kind.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Far beyond what anything takes on a busy machine under sanitizers; new resources are found after
/// half a minute.
constexpr seconds kGarbageTimeout{300};

constexpr char kCollectorManifest[] = R"(apiVersion: davit.dev/v1alpha1
kind: ControllerHost
leaderElection: {enabled: false}
client: {qps: 400, burst: 3000}
plugins:
- name: deployment
- name: replicaset
- name: namespace
- name: garbagecollector
)";
constexpr char kSameControllers[] = "deployment,replicaset,namespace,garbagecollector";

enum class Collector { kDavit, kOriginal };

void PrintTo(Collector setting, std::ostream* out) { *out << static_cast<int>(setting); }

std::string collector_name(const testing::TestParamInfo<Collector>& info) {
  return info.param == Collector::kDavit ? "DavitOnARealServer" : "KubeControllerManager";
}

class GarbageLifeTest : public testing::TestWithParam<Collector> {
 protected:
  void SetUp() override {
    if (assets().empty()) GTEST_SKIP() << no_assets();
    cluster_ = std::make_unique<ControlPlane>();
    cluster_->must({"create", "namespace", "x"});
    cluster_->must({"create", "namespace", "y"});
  }
  void TearDown() override {
    if (HasFailure() && controllers_) std::cout << controllers_->output();
  }

  /// Returns once the collector works, as an object that it finds in its first list may come before
  /// its owner: v1.20.2 then writes no event about the namespace.
  void start() {
    start_controllers();
    create("canary", owner("v1", "ConfigMap", "never-was", "uid-0"));
    ASSERT_TRUE(goes("configmap/canary"));
  }
  void start_controllers() {
    if (GetParam() == Collector::kOriginal) {
      controllers_ = cluster_->controller_manager(kSameControllers);
      return;
    }
    // davit may do no more here than `davit rbac` says.
    const std::filesystem::path manifest = cluster_->scratch() / "garbage.yaml";
    write_file(manifest, kCollectorManifest);
    port_ = free_port();
    controllers_ = cluster_->davit_with(
        cluster_->kubeconfig_of_roles(manifest),
        {"--manifest=" + manifest.string(), "--port=" + std::to_string(port_)});
  }
  [[nodiscard]] bool is_davit() const { return GetParam() == Collector::kDavit; }
  [[nodiscard]] std::string page(const std::string& path) const {
    const std::string url = "http://127.0.0.1:" + std::to_string(port_);
    return cluster_->kubectl({"--server", url, "get", "--raw", path}).out;
  }

  /// The existing objects, one a line: "pod/web-1".
  [[nodiscard]] std::string names(const std::string& kinds, const std::string& ns = "x") const {
    return cluster_->kubectl({"get", kinds, "-o=name", "--namespace=" + ns}).out;
  }
  [[nodiscard]] std::size_t count(const std::string& kinds) const {
    const std::string lines = names(kinds);
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  }
  [[nodiscard]] testing::AssertionResult becomes(const std::function<bool()>& is_so) const {
    if (eventually(kGarbageTimeout, is_so, milliseconds(200))) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << names("deployments,replicasets,pods,configmaps") << names("gadgets");
  }
  [[nodiscard]] testing::AssertionResult goes(const std::string& object) const {
    return becomes([&] {
      return cluster_->kubectl({"get", object, "-o=name", "--ignore-not-found", "--namespace=x"})
          .out.empty();
    });
  }
  [[nodiscard]] std::string field(const std::string& object, const std::string& path,
                                  const std::string& ns = "x") const {
    return cluster_
        ->kubectl({"get", object, "--namespace=" + ns, "-o=jsonpath={.metadata." + path + "}"})
        .out;
  }
  /// The UID of a new ConfigMap.
  std::string create(const std::string& name, const std::string& owners = "",
                     const std::string& ns = "x") const {
    cluster_->must({"create", "--namespace=" + ns, "-f", "-"},
                   "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name +
                       "\n  ownerReferences: [" + owners + "]\n");
    return field("configmap/" + name, "uid", ns);
  }
  static std::string owner(const std::string& api_version, const std::string& kind,
                           const std::string& name, const std::string& uid) {
    return "{apiVersion: " + api_version + ", kind: " + kind + ", name: " + name + ", uid: " + uid +
           ", blockOwnerDeletion: true}";
  }
  void create_web() const {
    cluster_->must(
        {"create", "deployment", "web", "--image=nginx", "--replicas=2", "--namespace=x"});
    ASSERT_TRUE(becomes([&] { return count("pods") == 2; }));
  }

  std::unique_ptr<ControlPlane> cluster_;
  std::unique_ptr<Process> controllers_;
  int port_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Everywhere, GarbageLifeTest,
                         testing::Values(Collector::kDavit, Collector::kOriginal), collector_name);

TEST_P(GarbageLifeTest, ADeploymentGoesByEachCascade) {
  start();
  create_web();
  cluster_->must({"delete", "deployment", "web", "--cascade=background", "--namespace=x"});
  ASSERT_TRUE(becomes([&] { return count("deployments,replicasets,pods") == 0; }));

  create_web();
  const std::string pod = names("pods").substr(0, names("pods").find('\n'));
  cluster_->must({"patch", pod, "--namespace=x", "--type=merge",
                  R"(--patch={"metadata":{"finalizers":["x.io/y"]}})"});
  cluster_->must(
      {"delete", "deployment", "web", "--cascade=foreground", "--wait=false", "--namespace=x"});
  ASSERT_TRUE(becomes([&] { return count("pods") == 1; }));
  EXPECT_EQ(field("deployment/web", "finalizers"), R"(["foregroundDeletion"])");
  EXPECT_EQ(field("replicasets", "finalizers"), "");
  EXPECT_EQ(count("replicasets"), 1U) << "its pod is there";
  cluster_->must({"patch", pod, "--namespace=x", "--type=merge",
                  R"(--patch={"metadata":{"finalizers":null}})"});
  ASSERT_TRUE(becomes([&] { return count("deployments,replicasets,pods") == 0; }));

  create_web();
  const std::string set = names("replicasets").substr(0, names("replicasets").find('\n'));
  cluster_->must({"delete", "deployment", "web", "--cascade=orphan", "--namespace=x"});
  ASSERT_TRUE(goes("deployment/web"));
  EXPECT_EQ(field(set, "ownerReferences"), "");
  EXPECT_EQ(count("pods"), 2U);
  cluster_->must({"delete", set, "--cascade=orphan", "--namespace=x"});
  ASSERT_TRUE(goes(set));
  EXPECT_EQ(count("pods"), 2U);
  EXPECT_THAT(cluster_->must({"get", "pods", "--namespace=x", "-o=yaml"}),
              Not(HasSubstr("ownerReferences")));
  EXPECT_THAT(controllers_->output(), Not(HasSubstr("orbidden")));
}

TEST_P(GarbageLifeTest, OwnersThatDoNotFitAreGoneAndUnknownOnesHold) {
  start();
  const std::string here = create("here");
  const std::string there = create("there", "", "y");
  create("good", owner("v1", "ConfigMap", "there", there), "y");
  create("never-was", owner("v1", "ConfigMap", "a", "uid-1"));
  create("other-uid", owner("v1", "ConfigMap", "here", "uid-2"));
  create("other-namespace", owner("v1", "ConfigMap", "there", there));
  create("other-kind", owner("v1", "Secret", "here", here));
  create("unknown-kind", owner("example.com/v1", "Nothing", "a", "uid-3"));
  create("one-of-two",
         owner("v1", "ConfigMap", "a", "uid-4") + ", " + owner("v1", "ConfigMap", "here", here));

  for (const char* each : {"never-was", "other-uid", "other-namespace", "other-kind"}) {
    EXPECT_TRUE(goes("configmap/" + std::string(each))) << each;
  }
  EXPECT_TRUE(
      becomes([&] { return field("configmap/one-of-two", "ownerReferences[*].name") == "here"; }));
  EXPECT_THAT(names("configmaps"), AllOf(HasSubstr("here"), HasSubstr("unknown-kind")));
  EXPECT_THAT(names("configmaps", "y"), HasSubstr("good"));
  const std::string message = "ownerRef [v1/ConfigMap, namespace: x, name: there, uid: " + there +
                              "] does not exist in namespace \"x\"";
  EXPECT_TRUE(becomes([&] {
    return cluster_->kubectl({"get", "events", "--namespace=x", "-o=jsonpath={.items[*].message}"})
               .out == message;
  }));
  EXPECT_EQ(cluster_->must({"get", "events", "--namespace=x",
                            "-o=jsonpath={.items[*].reason} {.items[*].involvedObject.name}"}),
            "OwnerRefInvalidNamespace other-namespace");
}

TEST_P(GarbageLifeTest, CustomObjectsAndWholeNamespacesGo) {
  start();
  // Defined after the controllers have begun.
  define_kind(*cluster_, "Gadget", "gadgets");
  const auto create_gadget = [&](const std::string& name, const std::string& owners) {
    cluster_->must({"create", "--namespace=x", "-f", "-"},
                   "apiVersion: example.com/v1\nkind: Gadget\nmetadata:\n  name: " + name +
                       "\n  ownerReferences: [" + owners + "]\n");
    return field("gadget/" + name, "uid");
  };
  const std::string o = create_gadget("o", "");
  const std::string d = create_gadget("d", owner("example.com/v1", "Gadget", "o", o));
  create("e", owner("example.com/v1", "Gadget", "d", d));
  cluster_->must({"delete", "gadget", "o", "--cascade=foreground", "--namespace=x"});
  EXPECT_TRUE(goes("configmap/e"));
  EXPECT_EQ(names("gadgets"), "");

  const std::string p = create_gadget("p", "");
  const std::string q = create_gadget("q", owner("example.com/v1", "Gadget", "p", p));
  cluster_->must({"delete", "gadget", "p", "--cascade=orphan", "--namespace=x"});
  EXPECT_EQ(names("gadgets"), "gadget.example.com/q\n");
  EXPECT_EQ(field("gadget/q", "ownerReferences"), "");

  create_web();
  create("owned", owner("example.com/v1", "Gadget", "q", q));
  cluster_->must({"delete", "namespace", "x", "--timeout=300s"});
  EXPECT_EQ(count("deployments,replicasets,pods,configmaps,gadgets"), 0U);

  if (!is_davit()) return;
  const std::string metrics = page("/metrics");
  for (const char* each : {"graph_changes", "attempt_to_delete", "attempt_to_orphan"}) {
    EXPECT_THAT(metrics, HasSubstr("name=\"garbage_collector_" + std::string(each)));
  }
  EXPECT_THAT(metrics, HasSubstr("garbagecollector_controller_resources_sync_error_total"));
  EXPECT_THAT(page("/debug/controllers/garbage-collector-controller/graph"),
              HasSubstr("strict digraph full {\n"));
}

}  // namespace
}  // namespace davit::live
