/// The rights that `davit rbac` prints for one plugin are those that it needs, on a real API
/// server.
#include "tests/live/conformance/fixture.hpp"

namespace davit::live {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A busy machine must not cost the host its lease.
constexpr char kLongLease[] = ", leaseDuration: 15m, renewDeadline: 10m";

class RolesTest : public LiveTest {
 protected:
  /// `davit run` with this plugin as a service account that has the printed rights only.
  static std::unique_ptr<Process> davit_with_printed_roles(const std::string& plugin) {
    const std::filesystem::path manifest = cluster().scratch() / (plugin + "-rbac.yaml");
    write_file(
        manifest,
        "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\nleaderElection: {name: roles-" +
            plugin + kLongLease + "}\nplugins:\n- name: " + plugin + "\n");
    return cluster().davit({"--manifest=" + manifest.string(),
                            "--kubeconfig=" + cluster().kubeconfig_of_roles(manifest)});
  }

  static void expect_every_request_allowed(const Process& davit) {
    EXPECT_THAT(davit.output(), Not(HasSubstr("orbidden")));
  }
};

TEST_F(RolesTest, ThePrintedRolesSufficeForDeploymentsAlone) {
  const auto davit = davit_with_printed_roles("deployment");
  kubectl({"create", "deployment", "web", "--image=nginx:1"});
  EXPECT_TRUE(becomes("deployment/web", "{.status.observedGeneration}", "1")) << davit->output();
  EXPECT_TRUE(becomes("replicasets", "{.items[*].spec.replicas}", "1"));
  expect_every_request_allowed(*davit);
}

TEST_F(RolesTest, ThePrintedRolesSufficeForReplicaSetsAlone) {
  const auto kubelet = cluster().kubelet();
  const auto davit = davit_with_printed_roles("replicaset");
  create_replica_set("web");
  EXPECT_TRUE(becomes("replicaset/web", "{.status.readyReplicas}", "2")) << davit->output();
  expect_every_request_allowed(*davit);
}

TEST_F(RolesTest, ThePrintedRolesSufficeForEndpointsAlone) {
  const auto davit = davit_with_printed_roles("endpoint");
  kubectl({"create", "service", "clusterip", "web", "--tcp=80"});
  kubectl({"run", "web", "--image=nginx:1", "--labels=app=web"});
  const std::string labels = "{.metadata.labels.endpoints\\.kubernetes\\.io/managed-by}";
  EXPECT_TRUE(becomes("endpoints/web", labels, "endpoint-controller")) << davit->output();
  kubectl({"label", "service", "web", "x=y"});
  EXPECT_TRUE(becomes("endpoints/web", "{.metadata.labels.x}", "y")) << "updates";
  cluster().must({"delete", "service", "web", "--namespace", ns()});
  EXPECT_TRUE(becomes("endpoints/web", labels, "")) << "deletes";
  expect_every_request_allowed(*davit);
}

}  // namespace
}  // namespace davit::live
