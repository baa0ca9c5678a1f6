#include "plugins/serviceaccount/pod_secrets.hpp"

#include "tests/plugins/serviceaccount/fixture.hpp"

namespace davit::serviceaccount {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(PodSecretsTest, EveryReferenceCounts) {
  testing::Cluster cluster;
  const auto pod = cluster.view_of<Pod>(R"({"spec":{
      "imagePullSecrets":[{"name":"pull"},{"name":""}],
      "initContainers":[{"envFrom":[{"secretRef":{"name":"init"}}]}],
      "ephemeralContainers":[{"env":[{"valueFrom":{"secretKeyRef":{"name":"ephemeral"}}}]}],
      "containers":[{"envFrom":[{"secretRef":{"name":"from"}},{"configMapRef":{"name":"no"}}],
                     "env":[{"valueFrom":{"secretKeyRef":{"name":"env"}}},{"value":"no"}]}],
      "volumes":[{"secret":{"secretName":"volume"}},
                 {"projected":{"sources":[{"secret":{"name":"projected"}},
                                          {"configMap":{"name":"no"}}]}},
                 {"azureFile":{"secretName":"azure"}},
                 {"cephfs":{"secretRef":{"name":"cephfs"}}},
                 {"cinder":{"secretRef":{"name":"cinder"}}},
                 {"flexVolume":{"secretRef":{"name":"flex"}}},
                 {"rbd":{"secretRef":{"name":"rbd"}}},
                 {"scaleIO":{"secretRef":{"name":"scaleio"}}},
                 {"iscsi":{"secretRef":{"name":"iscsi"}}},
                 {"storageos":{"secretRef":{"name":"storageos"}}},
                 {"csi":{"nodePublishSecretRef":{"name":"csi"}}}]}})");
  EXPECT_THAT(secrets_of(pod),
              UnorderedElementsAre("pull", "init", "ephemeral", "from", "env", "volume",
                                   "projected", "azure", "cephfs", "cinder", "flex", "rbd",
                                   "scaleio", "iscsi", "storageos", "csi"));
}

TEST(PodSecretsTest, WrongTypesAreNoReferences) {
  testing::Cluster cluster;
  const auto pod = cluster.view_of<Pod>(R"({"spec":{"imagePullSecrets":{"name":"x"},
      "containers":[1,{"env":"x","envFrom":[{"secretRef":"x"}]}],
      "volumes":[{"secret":{"secretName":1}}]}})");
  EXPECT_THAT(secrets_of(pod), IsEmpty());
}

}  // namespace
}  // namespace davit::serviceaccount
