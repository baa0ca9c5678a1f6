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

TEST(FromFlagsTest, EachFlagBecomesASettingWithAComment) {
  const FromFlagsResult result = manifest_from_flags(
      {"kube-controller-manager", "--kube-api-qps=50", "--controllers=*,-job", "--v=2",
       "--concurrent-gc-syncs=3", "--node-eviction-rate=0.5", "--cluster-cidr=10.0.0.0/8"});
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(result.manifest,
            R"(# Written by davit manifest from-flags. Check it with: davit manifest check FILE
apiVersion: davit.dev/v1alpha1
kind: ControllerHost
client:
  qps: 50  # --kube-api-qps=50
controllers: ["*","-job"]  # --controllers=*,-job
logging:
  verbosity: 2  # --v=2
controllerSettings:
  garbage-collector-controller:
    workers: 3  # --concurrent-gc-syncs=3
  node-lifecycle-controller:
    config:
      nodeEvictionRate: 0.5  # --node-eviction-rate=0.5
# Flags without effect:
#   --cluster-cidr=10.0.0.0/8: davit has no node-ipam-controller
)");
  EXPECT_THAT(result.warnings,
              ElementsAre("--cluster-cidr has no effect: davit has no node-ipam-controller"));
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
  EXPECT_THAT(err.str(),
              HasSubstr("davit: warning: --cluster-signing-key-file has no effect: davit "
                        "has no certificatesigningrequest-signing-controller\n"));
}

TEST(FromFlagsTest, MistakesLeaveNoManifest) {
  const FromFlagsResult result = manifest_from_flags(
      {"--kube-api-qps=fast", "--leader-elekt", "--cloud-provider=aws", "--kube-api-burst=1"});
  EXPECT_EQ(result.manifest, "");
  EXPECT_THAT(result.problems, Contains("--kube-api-qps must be a number, not \"fast\""));
  EXPECT_THAT(result.problems,
              Contains("unknown flag: --leader-elekt; did you mean --leader-elect?"));
  EXPECT_THAT(result.problems, Contains("--cloud-provider must be external or empty, not \"aws\""));
  EXPECT_THAT(manifest_from_flags({"--leader-elect-renew-deadline=20s"}).problems,
              ElementsAre(HasSubstr("must be greater than renewDeadline")));
}

TEST(FromFlagsTest, ACommentIsOneLineWhateverTheValueIs) {
  const FromFlagsResult result = manifest_from_flags({"--master=https://a\nkind: Other"});
  EXPECT_THAT(result.problems, IsEmpty());
  const ManifestResult read = parse_manifest(result.manifest, "m.yaml");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.manifest.client.master, "https://a\nkind: Other");
}

TEST(FromFlagsTest, EitherAFileOrACommandLineIsNeeded) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_manifest_from_flags({}, out, err), 2);
  EXPECT_EQ(run_manifest_from_flags({"pod.yaml", {"--v=1"}}, out, err), 2);
  EXPECT_EQ(run_manifest_from_flags({"/does/not/exist.yaml", {}}, out, err), 2);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace davit::host
