/// Successful and failing starts of the host on a real API server.
#include "tests/live/conformance/fixture.hpp"

namespace davit::live {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class StartTest : public LiveTest {
 protected:
  /// `davit run` that is expected to give up by itself.
  static Outcome fails(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {DAVIT_PROGRAM, "run", "--port=0"});
    const std::string scratch = cluster().scratch().string();
    return run(flags, "", {"HOME=" + scratch, "KUBECONFIG="}, kWaitLimit);
  }

  /// A kubeconfig of the administrator with one text replaced by another.
  static std::string kubeconfig_with(const std::string& from, const std::string& to) {
    std::string text = read_file(cluster().kubeconfig());
    text.replace(text.find(from), from.size(), to);
    const std::filesystem::path path = cluster().scratch() / ("kubeconfig-" + ns());
    write_file(path, text);
    return "--kubeconfig=" + path.string();
  }
};

TEST_F(StartTest, WithoutAnyConfigurationItSaysWhatToGive) {
  const Outcome outcome = fails({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no configuration has been provided"));
}

TEST_F(StartTest, AnUnreachableServerIsNamed) {
  const std::string nobody = "https://127.0.0.1:" + std::to_string(free_port());
  const Outcome outcome = fails({kubeconfig_with(cluster().server(), nobody)});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr(nobody));
}

TEST_F(StartTest, AServerThatIsNotKubernetesIsDistinguishedFromOneThatIs) {
  const Outcome outcome = fails({"--master=" + cluster().etcd_url()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(cluster().etcd_url()), HasSubstr("Kubernetes")));
}

TEST_F(StartTest, AWrongAuthorityIsNamed) {
  // Any other certificate serves as the wrong authority.
  const Outcome made = run({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj",
                            "/CN=other", "-keyout", (cluster().scratch() / "other.key").string(),
                            "-out", (cluster().scratch() / "other.crt").string()});
  ASSERT_EQ(made.code, 0) << made.err;
  const Outcome outcome =
      fails({kubeconfig_with(cluster().ca_file(), (cluster().scratch() / "other.crt").string())});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(cluster().server()), HasSubstr("certificate")));
}

TEST_F(StartTest, ARefusedTokenIsExplained) {
  const Outcome outcome = fails({kubeconfig_with("admin-token", "expired-token")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("401"), HasSubstr("token")));
  EXPECT_THAT(outcome.err, Not(HasSubstr("expired-token"))) << "a token must not be printed";
}

TEST_F(StartTest, AMissingRightIsNamedAndTheRestWorks) {
  const auto kubelet = cluster().kubelet();
  // bob may do everything with ReplicaSets and pods, and nothing with Deployments.
  kubectl({"create", "clusterrole", "sets", "--verb=*", "--resource=replicasets.apps,pods,events",
           "--resource=replicasets.apps/status"});
  kubectl({"create", "clusterrolebinding", "sets", "--clusterrole=sets", "--user=bob"});
  const auto davit = cluster().davit(
      {"--leader-elect=false", "--kubeconfig=" + cluster().kubeconfig_for("bob-token")});
  EXPECT_TRUE(prints(*davit, "deployments.apps"));
  EXPECT_TRUE(prints(*davit, "list"));
  create_replica_set("set");
  EXPECT_TRUE(becomes("replicaset/set", "{.status.readyReplicas}", "2"));
  EXPECT_TRUE(davit->running());
}

TEST_F(StartTest, ThePrintedRolesSuffice) {
  const auto kubelet = cluster().kubelet();
  const std::filesystem::path manifest = cluster().scratch() / "rbac.yaml";
  write_file(manifest,
             "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n"
             "leaderElection: {name: roles, leaseDuration: 15m, renewDeadline: 10m}\n"
             "plugins:\n- name: deployment\n- name: replicaset\n");
  const auto davit = cluster().davit({"--manifest=" + manifest.string(),
                                      "--kubeconfig=" + cluster().kubeconfig_of_roles(manifest)});
  kubectl({"create", "deployment", "web", "--image=nginx:1", "--replicas=2"});
  EXPECT_TRUE(becomes("deployment/web", "{.status.readyReplicas}", "2")) << davit->output();
  kubectl({"set", "image", "deployment/web", "nginx=nginx:2"});
  EXPECT_TRUE(becomes("deployment/web", "{.status.updatedReplicas} {.status.replicas}", "2 2"));
  EXPECT_THAT(davit->output(), Not(HasSubstr("orbidden"))) << "every request was allowed";
  EXPECT_TRUE(shows_event("ScalingReplicaSet|"));
}

TEST_F(StartTest, ADropInPluginIsLoadedAndWorks) {
  const std::filesystem::path manifest = cluster().scratch() / "greeter.yaml";
  write_file(manifest,
             "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n"
             "leaderElection: {enabled: false}\nplugins:\n- path: " DAVIT_GREETER_PLUGIN "\n");
  const auto davit = cluster().davit({"--manifest=" + manifest.string()});
  kubectl({"run", "web", "--image=nginx:1"});
  kubectl({"annotate", "pod", "web", "example.davit.dev/greet=please"});
  EXPECT_TRUE(becomes("pod/web", "{.metadata.labels.greeting}", "hello"));
}

TEST_F(StartTest, APluginExportsOneSymbol) {
  for (const char* plugin : {DAVIT_DEPLOYMENT_PLUGIN, DAVIT_REPLICASET_PLUGIN}) {
    const Outcome symbols = run({"nm", "-D", "--defined-only", "--format=just-symbols", plugin});
    EXPECT_EQ(symbols.out, "davit_plugin_v1\n") << plugin;
  }
}

}  // namespace
}  // namespace davit::live
