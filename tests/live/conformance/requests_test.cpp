/// Requests of a plugin that cross the ABI and reach a real server: scale of any kind, raw bytes.
#include "tests/live/conformance/custom_kind.hpp"
#include "tests/live/conformance/fixture.hpp"

namespace davit::live {
namespace {

class RequestsLiveTest : public LiveTest {
 protected:
  /// Runs the controller of support/requester.cpp until the ConfigMap that asks for a change of the
  /// object has its results.
  static void ask(const std::string& api_version, const std::string& kind) {
    const std::filesystem::path manifest = cluster().scratch() / ("requester-" + ns() + ".yaml");
    write_file(manifest,
               "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n"
               "leaderElection: {enabled: false}\nplugins:\n- path: " DAVIT_REQUESTER_PLUGIN "\n");
    const auto davit = cluster().davit({"--manifest=" + manifest.string()});
    kubectl({"create", "configmap", "wish", "--from-literal=apiVersion=" + api_version,
             "--from-literal=kind=" + kind, "--from-literal=name=web"});
    ASSERT_TRUE(becomes("configmap/wish", "{.data.absent}", "not found"));
  }
};

TEST_F(RequestsLiveTest, DeploymentIsScaledAndBytesComeRaw) {
  kubectl({"create", "deployment", "web", "--image=nginx:1", "--replicas=3"});
  ask("apps/v1", "Deployment");
  EXPECT_EQ(field("configmap/wish", "{.data.scaled}"), "deployments to 5");
  EXPECT_EQ(field("deployment/web", "{.spec.replicas}"), "5");
  EXPECT_EQ(field("configmap/wish", "{.data.stale}"), "conflict");
  EXPECT_EQ(field("configmap/wish", "{.data.raw}"), R"({"kind":"ConfigMap")");
}

TEST_F(RequestsLiveTest, CustomResourceIsScaledThroughItsPaths) {
  cluster().must({"create", "-f", "-"}, R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.sea.example.com}
spec:
  group: sea.example.com
  scope: Namespaced
  names: {plural: boats, kind: Boat}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    subresources:
      scale: {specReplicasPath: .spec.crew, statusReplicasPath: .status.crew}
)");
  await_kind(cluster(), "boats.sea.example.com");
  kubectl({"create", "-f", "-"},
          "apiVersion: sea.example.com/v1\nkind: Boat\nmetadata: {name: web}\nspec: {crew: 1}\n");
  ask("sea.example.com/v1", "Boat");
  EXPECT_EQ(field("configmap/wish", "{.data.scaled}"), "boats to 3");
  EXPECT_EQ(field("boat/web", "{.spec.crew}"), "3");
  cluster().must({"delete", "crd/boats.sea.example.com"});
}

}  // namespace
}  // namespace davit::live
