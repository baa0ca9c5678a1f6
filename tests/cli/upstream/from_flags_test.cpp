#include "cli/upstream/from_flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "host/config/manifest.hpp"

namespace davit::host {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(FromFlagsTest, EachFlagBecomesASettingWithAComment) {
  const FromFlagsResult result = manifest_from_flags(
      {"kube-controller-manager", "--kube-api-qps=50", "--controllers=job,-cronjob", "--v=2",
       "--concurrent-gc-syncs=3", "--node-eviction-rate=0.5", "--log-dir=/var/log"});
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(result.text,
            R"(# Written by davit manifest from-flags. Check it with: davit manifest check FILE
apiVersion: davit.dev/v1alpha1
kind: ControllerHost
leaderElection:
  name: "kube-controller-manager"  # the Lease of kube-controller-manager
  namespace: "kube-system"  # the Lease of kube-controller-manager
client:
  qps: 50  # --kube-api-qps=50
controllers: ["job","-cronjob"]  # --controllers=job,-cronjob
logging:
  verbosity: 2  # --v=2
controllerSettings:
  garbage-collector-controller:
    workers: 3  # --concurrent-gc-syncs=3
  node-lifecycle-controller:
    config:
      nodeEvictionRate: 0.5  # --node-eviction-rate=0.5
# Flags without effect:
#   --log-dir=/var/log: davit writes each line at once, to stderr
)");
  EXPECT_THAT(result.warnings,
              ElementsAre("--log-dir has no effect: davit writes each line at once, to stderr"));
}

TEST(FromFlagsTest, TheManifestHasTheLeaseOfTheCommandLine) {
  const auto lease_of = [](const std::vector<std::string>& args) {
    return parse_manifest(manifest_from_flags(args).text, "m.yaml").manifest.leader_election;
  };
  EXPECT_EQ(lease_of({"--v=1"}).name, "kube-controller-manager");
  EXPECT_EQ(lease_of({"--v=1"}).ns, "kube-system");
  const LeaderElectionSettings own = lease_of(
      {"--leader-elect-resource-name=managers", "--leader-elect-resource-namespace=control"});
  EXPECT_EQ(own.name, "managers");
  EXPECT_EQ(own.ns, "control");
  EXPECT_FALSE(lease_of({"--leader-elect=false"}).enabled);
}

TEST(FromFlagsTest, NoControllerOfTheCommandLineIsMissing) {
  const FromFlagsResult result = manifest_from_flags(
      {"--external-cloud-volume-plugin=x", "--controllers=*,selinux-warning-controller"});

  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("--external-cloud-volume-plugin has no effect: ")));
  for (const char* const silent :
       {"#   token-cleaner-controller", "#   certificatesigningrequest-signing-controller",
        "#   service-lb-controller", "#   selinux-warning-controller"}) {
    EXPECT_THAT(result.text, Not(HasSubstr(silent)));
  }
}

TEST(FromFlagsTest, TheStaticPodOfKubeadmBecomesAManifest) {
  std::ostringstream out;
  std::ostringstream err;
  const int code =
      run_manifest_from_flags({DAVIT_TESTS "/cli/upstream/kubeadm_pod.yaml", {}}, out, err);
  EXPECT_EQ(code, 0) << err.str();
  const ManifestResult read = parse_manifest(out.str(), "m.yaml");
  ASSERT_TRUE(read.ok()) << read.mistakes.front().str();
  const Manifest& manifest = read.manifest;
  EXPECT_EQ(manifest.client.kubeconfig, "/etc/kubernetes/controller-manager.conf");
  EXPECT_THAT(manifest.controllers, ElementsAre("*", "bootstrapsigner", "tokencleaner"));
  const auto config = [&](const char* name) {
    return manifest.controller_settings.at(name).config;
  };
  EXPECT_EQ(config("serviceaccount-token-controller"),
            R"({"rootCAFile":"/etc/kubernetes/pki/ca.crt",)"
            R"("serviceAccountKeyFile":"/etc/kubernetes/pki/sa.key"})");
  EXPECT_EQ(config("root-ca-certificate-publisher-controller"),
            R"({"rootCAFile":"/etc/kubernetes/pki/ca.crt"})");
  EXPECT_EQ(config("certificatesigningrequest-signing-controller"),
            R"({"clusterSigningCertFile":"/etc/kubernetes/pki/ca.crt",)"
            R"("clusterSigningKeyFile":"/etc/kubernetes/pki/ca.key"})");
  EXPECT_EQ(config("node-ipam-controller"),
            R"({"allocateNodeCIDRs":true,"clusterCIDR":"10.244.0.0/16",)"
            R"("serviceCIDR":"10.96.0.0/12"})");
  EXPECT_THAT(err.str(), Not(HasSubstr("cluster-signing")));
  EXPECT_THAT(err.str(), Not(HasSubstr("runs controllers that davit does not have")));
}

TEST(FromFlagsTest, MistakesLeaveNoManifest) {
  const FromFlagsResult result = manifest_from_flags(
      {"--kube-api-qps=fast", "--leader-elekt", "--cloud-provider=A_B", "--kube-api-burst=1"});
  EXPECT_EQ(result.text, "");
  EXPECT_THAT(result.problems, Contains("--kube-api-qps must be a number, not \"fast\""));
  EXPECT_THAT(result.problems,
              Contains("unknown flag: --leader-elekt; did you mean --leader-elect?"));
  EXPECT_THAT(result.problems, Contains(HasSubstr("--cloud-provider must be external, empty or")));
  EXPECT_THAT(manifest_from_flags({"--leader-elect-renew-deadline=20s"}).problems,
              ElementsAre(HasSubstr("must be greater than renewDeadline")));
}

TEST(FromFlagsTest, AProviderThatIsNamedIsEnabledInTheManifest) {
  const FromFlagsResult result = manifest_from_flags({"--cloud-provider=pools"});
  EXPECT_THAT(result.problems, IsEmpty());
  const ManifestResult read = parse_manifest(result.text, "m.yaml");
  ASSERT_TRUE(read.ok()) << result.text;
  ASSERT_TRUE(read.manifest.controller_settings.contains("pools"));
  EXPECT_EQ(read.manifest.controller_settings.at("pools").enabled, true);
}

TEST(FromFlagsTest, ACommentIsOneLineWhateverTheValueIs) {
  const FromFlagsResult result = manifest_from_flags({"--master=https://a\nkind: Other"});
  EXPECT_THAT(result.problems, IsEmpty());
  const ManifestResult read = parse_manifest(result.text, "m.yaml");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.manifest.client.master, "https://a\nkind: Other");
}

TEST(FromFlagsTest, FlagsBesideAFileWinOverThoseOfThePod) {
  std::ostringstream out;
  std::ostringstream err;
  ASSERT_EQ(run_manifest_from_flags({.file = DAVIT_TESTS "/cli/upstream/kubeadm_pod.yaml",
                                     .args = {"--leader-elect-resource-name=davit"}},
                                    out, err),
            0);
  EXPECT_EQ(parse_manifest(out.str(), "m.yaml").manifest.leader_election.name, "davit");
}

TEST(FromFlagsTest, EachServedPairOfFilesIsInTheManifest) {
  const FromFlagsResult result = manifest_from_flags(
      {"--tls-sni-cert-key=/a.crt,/a.key:*.a.example", "--tls-sni-cert-key=/b.crt,/b.key"});
  EXPECT_THAT(parse_manifest(result.text, "m.yaml").manifest.serving.named_pairs,
              ElementsAre("/a.crt,/a.key:*.a.example", "/b.crt,/b.key"));
}

TEST(FromFlagsTest, AFileOrACommandLineIsNeeded) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_manifest_from_flags({}, out, err), 2);
  EXPECT_EQ(run_manifest_from_flags({"pod.yaml", {"--v=1"}}, out, err), 2);
  EXPECT_EQ(run_manifest_from_flags({"/does/not/exist.yaml", {}}, out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("cannot read /does/not/exist.yaml: no such file or directory"));
  EXPECT_EQ(run_manifest_from_flags({"pod.yaml", {"kube-controller-manager"}}, out, err), 2);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace davit::host
