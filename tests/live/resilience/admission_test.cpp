/// Failures between a request and the store: slow and failing webhooks, expired tokens.
#include "tests/live/resilience/resilience_fixture.hpp"
#include "tests/support/silent_listener.hpp"

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::IsEmpty;
using testing::Not;

class AdmissionTest : public ResilienceTest {
 protected:
  /// A webhook for the creation of pods in namespace `slow`, at a port of the loopback.
  void install_webhook(int port, const std::string& policy, seconds limit = seconds(3)) const {
    cluster().must({"apply", "-f", "-"},
                   "apiVersion: admissionregistration.k8s.io/v1\n"
                   "kind: ValidatingWebhookConfiguration\nmetadata: {name: trouble}\n"
                   "webhooks:\n- name: trouble.example.com\n  sideEffects: None\n"
                   "  admissionReviewVersions: [v1]\n  timeoutSeconds: " +
                       std::to_string(limit.count()) + "\n  failurePolicy: " + policy +
                       "\n  clientConfig: {url: 'https://127.0.0.1:" + std::to_string(port) +
                       "/'}\n  namespaceSelector: {matchLabels: {trouble: 'yes'}}\n  rules:\n"
                       "  - {apiGroups: [''], apiVersions: [v1], operations: [CREATE],"
                       " resources: [pods]}\n");
    cluster().must({"create", "namespace", "slow"});
    cluster().must({"label", "namespace", "slow", "trouble=yes"});
  }
  [[nodiscard]] std::string in_slow(const std::string& what, const std::string& path) const {
    return cluster().kubectl({"get", what, "--namespace=slow", "-o", "jsonpath=" + path}).out;
  }
  [[nodiscard]] testing::AssertionResult becomes(const std::string& what, const std::string& path,
                                                 const std::string& value) const {
    std::string last;
    const auto is_so = [&] {
      return (last = in_slow(what, path)).find(value) != std::string::npos;
    };
    if (eventually(kWaitLimit, is_so, milliseconds(200))) return testing::AssertionSuccess();
    return testing::AssertionFailure() << what << ' ' << path << " is \"" << last << '"';
  }
};

TEST_F(AdmissionTest, SlowWebhookDelaysNoOther) {
  // The server waits for it as long as it may, and continues. Thirty pods are created in five
  // steps, so that the others have well over a minute, however busy the machine is.
  auto hook = std::make_unique<test::SilentListener>();
  install_webhook(hook->port(), "Ignore", seconds(20));
  const auto davit = cluster().davit({"--leader-elect=false"});
  const Invariants seen(cluster(), kMostWanted);
  cluster().must(
      {"create", "deployment", "web", "--namespace=slow", "--image=nginx:1", "--replicas=30"});
  ASSERT_TRUE(becomes("replicasets", "{.items[*].spec.replicas}", "30"));

  create_deployments(cluster(), 2, kReplicas);

  EXPECT_TRUE(all_rolled_out(2));
  EXPECT_THAT(in_slow("deployment/web", "{.status.readyReplicas}"), Not("30"))
      << "the others did not wait for it";
  hook.reset();  // A webhook that is gone is ignored at once.
  EXPECT_TRUE(becomes("deployment/web", "{.status.readyReplicas}", "30"));
  EXPECT_EQ(in_slow("replicasets", "{.items[*].status.replicas}"), "30");
  EXPECT_THAT(seen.breaches(), IsEmpty());
}

TEST_F(AdmissionTest, FailingWebhookIsReportedAndWorkContinuesWithoutIt) {
  install_webhook(free_port(), "Fail");
  const auto davit = cluster().davit({"--leader-elect=false"});
  cluster().must(
      {"create", "deployment", "web", "--namespace=slow", "--image=nginx:1", "--replicas=5"});
  EXPECT_TRUE(becomes("replicasets",
                      "{.items[*].status.conditions[?(@.type==\"ReplicaFailure\")].message}",
                      "trouble.example.com"));
  EXPECT_TRUE(becomes("events", "{.items[*].reason}", "FailedCreate"));

  cluster().must({"delete", "validatingwebhookconfiguration", "trouble"});

  EXPECT_TRUE(becomes("deployment/web", "{.status.readyReplicas}", "5"));
  EXPECT_TRUE(becomes("replicasets", "{.items[*].status.replicas}", "5"));
}

TEST_F(AdmissionTest, RotatedTokenIsReadBeforeTheFormerOneIsMissed) {
  cluster().must({"create", "serviceaccount", "host", "--namespace=kube-system"});
  cluster().must({"create", "clusterrolebinding", "host", "--clusterrole=cluster-admin",
                  "--serviceaccount=kube-system:host"});
  // A token ends with the Secret that it is bound to.
  const auto token_of = [this](const std::string& secret) {
    cluster().must({"create", "secret", "generic", secret, "--namespace=kube-system"});
    return cluster().service_account_token("host", secret);
  };
  const std::filesystem::path file = cluster().scratch() / "token";
  write_file(file, token_of("first"));
  const auto davit = cluster().davit(
      {"--leader-elect=false", "--kubeconfig=" + cluster().kubeconfig_with_token_file(file)});
  create_deployments(cluster(), 1, kReplicas);
  ASSERT_TRUE(all_rolled_out(1));

  write_file(file, token_of("second"));
  cluster().must({"delete", "secret", "first", "--namespace=kube-system"});
  update_deployments(cluster(), 1, "registry.example.com/app:v2");

  EXPECT_TRUE(all_rolled_out(1));
  EXPECT_TRUE(davit->running());
}

}  // namespace
}  // namespace davit::live
