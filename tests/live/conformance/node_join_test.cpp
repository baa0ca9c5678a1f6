/// The first requests of a node that joins with a bootstrap token: on `davit sandbox` with its
/// plugins, and on a real API server with davit alone. Needs kubectl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/sandbox.hpp"
#include "tests/support/http_client.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;

/// A kubelet's request for its client certificate: P-256, O=system:nodes, CN=system:node:n1.
constexpr const char* kNodeKey = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxWp1HDKP+IHqoZHR
Fux6bZaz74Q6Qaboznw3D8tPWJuhRANCAAS0h8MWbmT9UFQq8zv6//ejqU4dkVO3
903yOKVbCzrq3wt0hPieUBfK5gpkWhczOgzy+knBo0CIj0NGG1n3vg6e
-----END PRIVATE KEY-----
)";
constexpr const char* kNodeRequest =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIc01JR1NBZ0VBTURBeEZUQVRCZ05WQkFvTURI"
    "TjVjM1JsYlRwdWIyUmxjekVYTUJVR0ExVUVBd3dPYzNsegpkR1Z0T201dlpHVTZiakV3V1RBVEJnY3Foa2pPUFFJ"
    "QkJnZ3Foa2pPUFFNQkJ3TkNBQVMwaDhNV2JtVDlVRlFxCjh6djYvL2VqcVU0ZGtWTzM5MDN5T0tWYkN6cnEzd3Qw"
    "aFBpZVVCZks1Z3BrV2hjek9nenkra25CbzBDSWowTkcKRzFuM3ZnNmVvQUF3Q2dZSUtvWkl6ajBFQXdJRFNRQXdS"
    "Z0loQVAxVXk1MFh4Ri9idEpPczFKSGwzU1pJUW45ZQowYlVla1JjMWZsZ3BIY2d1QWlFQTBiREptcUJzNGZ6M04v"
    "dzZwM3d4c1hBUFQyd2xyeFVRRXdrc05rUDJiVE09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";

/// Gives new nodes what kubeadm gives them: a token, the rights to ask for a certificate and to get
/// it, and the public cluster-info.
std::string join_objects() {
  return R"(
apiVersion: v1
kind: Secret
metadata: {name: bootstrap-token-abcdef, namespace: kube-system}
type: bootstrap.kubernetes.io/token
stringData:
  token-id: abcdef
  token-secret: 0123456789abcdef
  usage-bootstrap-authentication: "true"
  usage-bootstrap-signing: "true"
  auth-extra-groups: system:bootstrappers:kubeadm:default-node-token
---
apiVersion: v1
kind: ConfigMap
metadata: {name: cluster-info, namespace: kube-public}
data: {kubeconfig: "a kubeconfig"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: cluster-info, namespace: kube-public}
rules: [{apiGroups: [""], resources: [configmaps], resourceNames: [cluster-info], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: cluster-info, namespace: kube-public}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: cluster-info}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: "system:anonymous"}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: bootstrap}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:node-bootstrapper"}
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: system:bootstrappers:kubeadm:default-node-token
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: approve}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: system:certificates.k8s.io:certificatesigningrequests:nodeclient
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: system:bootstrappers:kubeadm:default-node-token
)";
}

std::string node_request(const std::string& name) {
  return R"({"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest",
             "metadata":{"name":")" +
         name + R"("},"spec":{"signerName":"kubernetes.io/kube-apiserver-client-kubelet",
             "usages":["digital signature","client auth"],"request":")" +
         kNodeRequest + "\"}}";
}

/// The requests of a node, one after the other. `Server`: a Sandbox or a ControlPlane.
template <typename Server>
class JoiningNode {
 public:
  explicit JoiningNode(Server& server) : server_(server) {}

  void join() {
    const Outcome prepared = server_.kubectl({"create", "-f", "-"}, join_objects());
    ASSERT_EQ(prepared.code, 0) << prepared.err;
    ASSERT_NO_FATAL_FAILURE(read_cluster_info());
    EXPECT_THAT(as(token_, {"get", "nodes"}).err,
                HasSubstr("User \"system:bootstrap:abcdef\" cannot list resource \"nodes\""));
    ASSERT_NO_FATAL_FAILURE(get_certificate());
    const std::vector<std::string> node = {
        "--client-certificate=" + (files_.path() / "node.crt").string(),
        "--client-key=" + (files_.path() / "node.key").string()};
    const Outcome renewed = as(node, {"create", "-f", "-"}, node_request("n1-again"));
    ASSERT_EQ(renewed.code, 0) << renewed.err;
    EXPECT_EQ(server_.kubectl({"get", "csr", "n1-again", "-o=jsonpath={.spec.username}"}).out,
              "system:node:n1");
  }

 private:
  /// Runs kubectl with these credentials and no others.
  [[nodiscard]] Outcome as(const std::vector<std::string>& who, std::vector<std::string> args,
                           const std::string& input = "") const {
    args.insert(args.begin(), {"--kubeconfig=/dev/null", "--server=" + server_.server(),
                               "--certificate-authority=" + server_.ca_file()});
    args.insert(args.end(), who.begin(), who.end());
    return server_.kubectl(args, input);
  }
  /// Without credentials: kubectl would ask for a password.
  void read_cluster_info() const {
    ASSERT_TRUE(eventually(minutes(4), [&] {
      const Outcome info =
          run({"curl", "--silent", "--cacert", server_.ca_file(),
               server_.server() + "/api/v1/namespaces/kube-public/configmaps/cluster-info"});
      return info.out.find("jws-kubeconfig-abcdef") != std::string::npos;
    }));
  }
  void get_certificate() const {
    const Outcome asked = as(token_, {"create", "-f", "-"}, node_request("n1"));
    ASSERT_EQ(asked.code, 0) << asked.err;
    std::string certificate;
    ASSERT_TRUE(eventually(minutes(4), [&] {
      certificate =
          as(token_, {"get", "csr", "n1", "-o=go-template={{.status.certificate|base64decode}}"})
              .out;
      return certificate.find("BEGIN CERTIFICATE") != std::string::npos;
    }));
    write_file(files_.path() / "node.crt", certificate);
    write_file(files_.path() / "node.key", kNodeKey);
  }

  Server& server_;
  const ScratchDir files_;
  const std::vector<std::string> token_ = {"--token=abcdef.0123456789abcdef"};
};

TEST(NodeJoinTest, ANodeJoinsWithABootstrapTokenAndWorksWithItsCertificate) {
  Sandbox sandbox({"--controllers=*,bootstrap-signer-controller"});
  JoiningNode(sandbox).join();
  if (testing::Test::HasFailure()) ADD_FAILURE() << sandbox.output();
}

TEST(NodeJoinTest, ANodeJoinsARealServerWithDavitAlone) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  const std::string ca = DAVIT_SIGNING_CA;
  ControlPlane cluster(
      {.apiserver_flags = {"--enable-bootstrap-token-auth=true", "--client-ca-file=" + ca + ".crt",
                           "--authorization-mode=Node"}});
  const auto davit = cluster.davit({"--controllers=*,bootstrap-signer-controller",
                                    "--cluster-signing-cert-file=" + ca + ".crt",
                                    "--cluster-signing-key-file=" + ca + ".key"});
  JoiningNode(cluster).join();
  if (testing::Test::HasFailure()) ADD_FAILURE() << davit->output();
}

TEST(NodeJoinTest, CERT113_ApproverAndSignerShareTheSeriesOfAQueue) {
  Sandbox sandbox;
  const int port = free_port();
  const auto davit =
      sandbox.davit({"--controllers=certificatesigningrequest-approving-controller,"
                     "certificatesigningrequest-signing-controller",
                     "--cluster-signing-cert-file=" DAVIT_SIGNING_CA ".crt",
                     "--cluster-signing-key-file=" DAVIT_SIGNING_CA ".key", "--leader-elect=false",
                     "--port=" + std::to_string(port)});
  const auto series = [port] {
    const std::string page = test::http_get(static_cast<std::uint16_t>(port), "/metrics");
    std::size_t count = 0;
    constexpr std::string_view kSeries = "\nworkqueue_adds_total{name=\"certificate\"}";
    for (std::size_t at = page.find(kSeries); at != std::string::npos;
         at = page.find(kSeries, at + 1)) {
      ++count;
    }
    return count;
  };
  const Outcome asked = sandbox.kubectl({"create", "-f", "-"}, node_request("n1"));
  ASSERT_EQ(asked.code, 0) << asked.err;
  EXPECT_TRUE(eventually(minutes(4), [&] { return series() == 1; })) << davit->output();
}

}  // namespace
}  // namespace davit::live
