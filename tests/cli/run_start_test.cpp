/// `davit run` before it is connected: what it refuses, what it warns of, and that it can be
/// stopped.
#include <gmock/gmock.h>

#include <algorithm>

#include "host/loading/trial.hpp"
#include "lib/base/text_file.hpp"
#include "tests/cli/run_fixture.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

class RunStartTest : public RunTest {
 protected:
  RunStartTest() {
    talk_to("{server: 'https://127.0.0.1:1', insecure-skip-tls-verify: true}");
    run_plugin("hangs");
  }
};

TEST_F(RunStartTest, HangingConstructorDoesNotDelayATermination) {
  Program davit(arguments());
  davit.await("in the constructor");
  davit.terminate();
  EXPECT_EQ(davit.wait(), 1);
  EXPECT_THAT(davit.said(), HasSubstr("startup has not finished. Exiting."));
  EXPECT_THAT(davit.said(), HasSubstr("TLS verification is off"));
  EXPECT_THAT(davit.said(), testing::Not(HasSubstr("Other users can read the kubeconfig")));
}

TEST_F(RunStartTest, HangingInitFuncDoesNotDelayATermination) {
  run_plugin("init_hangs");

  Program davit(with_server());
  davit.await("in the InitFunc");
  davit.terminate();

  EXPECT_EQ(davit.wait(), 1);
  EXPECT_THAT(davit.said(), HasSubstr("in the InitFunc"));
  EXPECT_THAT(davit.said(), HasSubstr("startup has not finished. Exiting."));
}

TEST_F(RunStartTest, KubeconfigThatOthersMayReadIsWarnedOf) {
  allow(kubeconfig_, std::filesystem::perms::owner_read | std::filesystem::perms::others_read);
  Program davit(arguments());
  davit.await("in the constructor");
  davit.terminate();
  EXPECT_EQ(davit.wait(), 1);
  EXPECT_THAT(davit.said(), HasSubstr("Other users can read the kubeconfig"));
}

TEST_F(RunStartTest, KeyAndTokenThatOthersMayReadAreWarnedOf) {
  const std::string token = directory_.write("token", "secret");
  const std::string key = directory_.write("serving.key", "secret");
  talk_to("{server: 'https://127.0.0.1:1', insecure-skip-tls-verify: true}",
          "{tokenFile: " + token + "}");
  manifest_ = directory_.write("manifest.yaml", *read_text_file(manifest_) +
                                                    "serving: {tlsCertFile: " + key +
                                                    ", tlsPrivateKeyFile: " + key + "}\n");
  Program davit(arguments());
  davit.await("in the constructor");
  davit.terminate();
  EXPECT_EQ(davit.wait(), 1);
  EXPECT_THAT(davit.said(), HasSubstr("secret=\"token\" file=\"" + token));
  EXPECT_THAT(davit.said(), HasSubstr("secret=\"serving key\" file=\"" + key));
}

TEST_F(RunStartTest, CrashesThatCannotBeRecordedAreReportedAtTheStart) {
  run_plugin("init_hangs");
  std::vector<std::string> flags = with_server();
  const auto state = std::ranges::find(flags, "--state-dir") + 1;
  *state = directory_.write("state", "a file in place of the directory");

  Program davit(flags);
  davit.await("in the InitFunc");
  davit.terminate();

  EXPECT_EQ(davit.wait(), 1);
  EXPECT_THAT(davit.said(), HasSubstr("Crashes cannot be recorded, so no plugin will be "
                                      "quarantined"));
  EXPECT_THAT(davit.said(), HasSubstr("/state: Not a directory"));
}

TEST_F(RunStartTest, ProgramOpensAPluginForATrialAndEnds) {
  const auto tried = [](const char* sample) {
    return try_to_open(DAVIT_PROGRAM, std::string(DAVIT_SAMPLES "/") + sample + ".so", {});
  };
  EXPECT_TRUE(tried("good").ok()) << tried("good").message();
  EXPECT_THAT(tried("none").message(), HasSubstr("opening it in a separate process fails: "));
}

TEST_F(RunStartTest, NoCodeOfAPluginRunsWithoutTheSignatureThatTheManifestWants) {
  manifest_ = directory_.write("manifest.yaml",
                               *read_text_file(manifest_) +
                                   "\npluginSignatures: {keys: [{name: release, publicKey: "
                                   "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}]}\n");
  Program davit(arguments());
  EXPECT_EQ(davit.wait(), 2);
  EXPECT_THAT(davit.said(), HasSubstr(".so.sig is missing; make it with davit plugin sign"));
  EXPECT_THAT(davit.said(), testing::Not(HasSubstr("in the constructor")));
}

TEST_F(RunStartTest, FilesThatOthersMayWriteAreRefused) {
  for (const std::string& file : {kubeconfig_, manifest_}) {
    const std::filesystem::perms before = std::filesystem::status(file).permissions();
    allow(file, std::filesystem::perms::all);
    Program davit(arguments());
    EXPECT_EQ(davit.wait(), 2) << davit.said();
    EXPECT_THAT(davit.said(), HasSubstr(file));
    EXPECT_THAT(davit.said(), HasSubstr("the file is writable by others; run chmod go-w on it"));
    allow(file, before);
  }
}

TEST_F(RunStartTest, CLD003_ACloudProviderThatNoPluginHasEndsTheStart) {
  manifest_ = directory_.write("manifest.yaml",
                               "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n"
                               "plugins: [{path: " DAVIT_PLUGINS
                               "/cloud/cloud.so}, {path: " DAVIT_PLUGINS "/pools/pools.so}]\n");
  std::vector<std::string> flags = arguments();
  flags.emplace_back("--cloud-provider=foo");
  Program davit(flags);
  EXPECT_EQ(davit.wait(), 2);
  EXPECT_THAT(davit.said(), HasSubstr("\"foo\""));
  EXPECT_THAT(davit.said(), HasSubstr("pools")) << "it names those that there are";
}

TEST_F(RunStartTest, ActiveKubeControllerManagerWithTheSameControllersEndsTheStart) {
  manifest_ = directory_.write("manifest.yaml",
                               "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n"
                               "plugins: [{path: " DAVIT_PLUGINS "/job/job.so}]\n");
  lead_elsewhere();

  Program davit(with_server());

  EXPECT_EQ(davit.wait(), 1);
  EXPECT_THAT(davit.said(), HasSubstr("kube-controller-manager master-1_1 is active and runs "
                                      "controllers of this host: job-controller."));
}

struct Shipped {
  const char* plugin;
  const char* controller;
};
constexpr Shipped kShipped[] = {
    {"bootstrap", "bootstrap-signer-controller"},
    {"bootstrap", "token-cleaner-controller"},
    {"certificates", "certificatesigningrequest-approving-controller"},
    {"certificates", "certificatesigningrequest-cleaner-controller"},
    {"certificates", "certificatesigningrequest-signing-controller"},
    {"certificates", "kube-apiserver-serving-clustertrustbundle-publisher-controller"},
    {"certificates", "podcertificaterequest-cleaner-controller"},
    {"cloud", "cloud-node-controller"},
    {"cloud", "cloud-node-lifecycle-controller"},
    {"cloud", "node-route-controller"},
    {"cloud", "service-lb-controller"},
    {"clusterroleaggregation", "clusterrole-aggregation-controller"},
    {"cronjob", "cronjob-controller"},
    {"daemonset", "daemonset-controller"},
    {"deployment", "deployment-controller"},
    {"devicetaint", "device-taint-eviction-controller"},
    {"disruption", "disruption-controller"},
    {"endpoint", "endpoints-controller"},
    {"endpoint", "endpointslice-controller"},
    {"endpointslicemirroring", "endpointslice-mirroring-controller"},
    {"ephemeralvolume", "ephemeral-volume-controller"},
    {"garbagecollector", "garbage-collector-controller"},
    {"job", "job-controller"},
    {"namespace", "namespace-controller"},
    {"admissionpolicy", "validatingadmissionpolicy-status-controller"},
    {"attachdetach", "persistentvolume-attach-detach-controller"},
    {"nodeipam", "node-ipam-controller"},
    {"nodelifecycle", "node-lifecycle-controller"},
    {"nodelifecycle", "taint-eviction-controller"},
    {"podautoscaler", "horizontal-pod-autoscaler-controller"},
    {"podgc", "pod-garbage-collector-controller"},
    {"pools", "pools"},
    {"replicaset", "replicaset-controller"},
    {"replicationcontroller", "replicationcontroller-controller"},
    {"resourceclaim", "podgroup-protection-controller"},
    {"resourceclaim", "resourceclaim-controller"},
    {"resourceclaim", "resourcepoolstatusrequest-controller"},
    {"resourcequota", "resourcequota-controller"},
    {"selinuxwarning", "selinux-warning-controller"},
    {"serviceaccount", "legacy-serviceaccount-token-cleaner-controller"},
    {"serviceaccount", "root-ca-certificate-publisher-controller"},
    {"serviceaccount", "serviceaccount-controller"},
    {"serviceaccount", "serviceaccount-token-controller"},
    {"servicecidr", "service-cidr-controller"},
    {"statefulset", "statefulset-controller"},
    {"storageversion", "storage-version-migrator-controller"},
    {"storageversion", "storageversion-garbage-collector-controller"},
    {"ttl", "ttl-controller"},
    {"ttlafterfinished", "ttl-after-finished-controller"},
    {"volumebinder", "persistentvolume-binder-controller"},
    {"volumebinder", "persistentvolume-expander-controller"},
    {"volumeprotection", "persistentvolume-protection-controller"},
    {"volumeprotection", "persistentvolumeclaim-protection-controller"},
    {"volumeprotection", "volumeattributesclass-protection-controller"},
};

class ShippedControllerTest : public RunTest, public testing::WithParamInterface<Shipped> {};

TEST_P(ShippedControllerTest, RefusesAnOptionThatItDoesNotKnow) {
  const auto [plugin, controller] = GetParam();
  manifest_ = directory_.write(
      "manifest.yaml", std::string("apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n"
                                   "controllers: ['*', ") +
                           controller + "]\nplugins: [{path: " DAVIT_PLUGINS "/" + plugin + "/" +
                           plugin + ".so, controllers: {" + controller +
                           ": {config: {noSuchOption: x}}}}]\n");

  Program davit(with_server());

  EXPECT_EQ(davit.wait(), 1);
  EXPECT_THAT(davit.said(), HasSubstr("unknown configuration \\\"noSuchOption\\\"; known: "));
}

INSTANTIATE_TEST_SUITE_P(Shipped, ShippedControllerTest, testing::ValuesIn(kShipped),
                         [](const auto& each) {
                           std::string name = each.param.controller;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace davit::host
