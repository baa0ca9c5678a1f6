#include "cli/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

TEST(OptionsTest, FlagsWinOverTheManifestAndLeaveTheRestAlone) {
  Manifest manifest;
  manifest.client.qps = 5;
  manifest.client.master = "https://manifest";
  manifest.controllers = {"a"};
  manifest.plugin_directories = {"/manifest"};
  manifest.dry_run = true;
  RunOptions options;
  options.qps = 100;
  options.controllers = {"*", "-b"};
  options.dry_run = false;
  options.leader_elect = false;
  options.lease_duration = seconds(60);
  options.port = 0;
  options.log_format = LogFormat::kJson;
  options.kubeconfig = "/k";
  options.plugin_directories = {"/flag"};

  const Manifest merged = merge(manifest, options);

  EXPECT_EQ(merged.client.qps, 100);
  EXPECT_EQ(merged.client.master, "https://manifest");
  EXPECT_EQ(merged.client.kubeconfig, "/k");
  EXPECT_THAT(merged.controllers, ElementsAre("*", "-b"));
  EXPECT_FALSE(merged.dry_run);
  EXPECT_FALSE(merged.leader_election.enabled);
  EXPECT_EQ(merged.leader_election.lease_duration, seconds(60));
  EXPECT_EQ(merged.leader_election.renew_deadline, seconds(10));
  EXPECT_EQ(merged.health.port, 0);
  EXPECT_EQ(merged.logging.format, LogFormat::kJson);
  EXPECT_THAT(merged.plugin_directories, ElementsAre("/flag"));
}

TEST(OptionsTest, VerbositiesOfLoggersNeedTheTextFormat) {  // HO-015
  RunOptions options;
  options.changes.push_back([](Manifest& manifest) { manifest.logging.modules = {"x=5"}; });
  EXPECT_TRUE(merge_settings(options).ok());
  options.log_format = LogFormat::kJson;

  const SettingsResult result = merge_settings(options);

  ASSERT_EQ(result.mistakes.size(), 1U);
  EXPECT_EQ(result.mistakes[0].str(), "logging.vmodule needs the text format of the log");
}

TEST(OptionsTest, LabelsOfTheManifestReplaceThoseOfTheFile) {
  const TempDirectory directory;
  const std::string file = directory.write("labels.yaml", "\"m,l\": \"a\"\n");
  RunOptions options;
  options.changes.push_back(
      [file](Manifest& manifest) { manifest.metrics.allowed_labels_file = file; });
  const SettingsResult of_file = merge_settings(options);
  ASSERT_TRUE(of_file.ok());
  EXPECT_THAT(of_file.settings.manifest.metrics.labels(), ElementsAre(testing::Pair("m,l", "a")));

  options.changes.push_back([](Manifest& manifest) {
    manifest.metrics.allowed_labels = {{"n,l", "b"}};
  });
  EXPECT_THAT(merge_settings(options).settings.manifest.metrics.labels(),
              ElementsAre(testing::Pair("n,l", "b")));

  options.changes.push_back(
      [](Manifest& manifest) { manifest.metrics.allowed_labels_file = "/nowhere"; });
  EXPECT_EQ(merge_settings(options).mistakes.size(), 1U);
}

TEST(OptionsTest, WithoutAManifestTheDefaultsHold) {
  const SettingsResult result = merge_settings({});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.settings.manifest.client.qps, 20);
  EXPECT_EQ(result.settings.manifest_path, "");
}

TEST(OptionsTest, MistakesOfManifestAndFlagsAreReportedTogether) {
  const TempDirectory directory;
  RunOptions options;
  options.manifest = directory.write("m.yaml", "kind: ControllerHost\n");
  options.changes.push_back(
      [](Manifest& manifest) { manifest.serving.bind_address = "localhost"; });
  options.lease_name = "A";
  options.lease_namespace = "b_c";
  const SettingsResult result = merge_settings(options);
  ASSERT_EQ(result.mistakes.size(), 4U);
  EXPECT_EQ(result.mistakes[0].line, 1);
  EXPECT_EQ(result.mistakes[3].str(), "--bind-address must be an IP address, not \"localhost\"");
}

TEST(OptionsTest, MistakesOfServingNameTheirFlags) {
  const auto mistakes_of = [](const std::function<void(Manifest&)>& change) {
    RunOptions options;
    options.changes = {change};
    const SettingsResult result = merge_settings(options);
    return result.mistakes.empty() ? "" : result.mistakes[0].str();
  };
  EXPECT_EQ(mistakes_of([](Manifest& m) { m.serving.certificate_file = "a"; }),
            "--tls-cert-file and --tls-private-key-file need each other");
  EXPECT_EQ(mistakes_of([](Manifest& m) { m.serving.min_version = "1.2"; }),
            "--tls-min-version must be VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13, "
            "not \"1.2\"");
  EXPECT_EQ(mistakes_of([](Manifest& m) {
              m.serving.curves = {"29", "30"};
            }),
            "--tls-curve-preferences must be numbers of Go's CurveID, 23, 24, 25, 29, 4587, 4588 "
            "or 4589, not \"30\"");
  EXPECT_EQ(mistakes_of([](Manifest& m) { m.serving.named_pairs = {"a"}; }),
            "--tls-sni-cert-key must be CERT,KEY or CERT,KEY:NAME,NAME, not \"a\"");
  EXPECT_EQ(mistakes_of([](Manifest& m) { m.authentication.group_headers = {" "}; }),
            "--requestheader-group-headers must not have an empty entry");
  EXPECT_EQ(mistakes_of([](Manifest& m) { m.authentication.uid_headers = {"x"}; }),
            "--requestheader-uid-headers must include X-Remote-Uid");
}

TEST(OptionsTest, APlainPortReplacesTheSecureOneUnlessThatIsGiven) {
  const auto port_of = [](std::optional<int> plain, std::optional<int> secure) {
    RunOptions options;
    options.port = plain;
    if (secure) options.changes = {[secure](Manifest& m) { m.serving.port = secure; }};
    return secure_port(merge({}, options));
  };
  EXPECT_EQ(port_of({}, {}), 10257);
  EXPECT_EQ(port_of(0, {}), 0);
  EXPECT_EQ(port_of(-1, {}), 10257);
  EXPECT_EQ(port_of(0, 8443), 8443);
  EXPECT_EQ(port_of({}, 0), 0);
}

TEST(OptionsTest, RulesBetweenSettingsHoldAfterTheFlags) {
  RunOptions options;
  options.renew_deadline = seconds(20);
  const SettingsResult result = merge_settings(options);
  ASSERT_EQ(result.mistakes.size(), 1U);
  EXPECT_EQ(result.mistakes[0].str(),
            "leaderElection.leaseDuration (15s) must be greater than renewDeadline (20s)");
}

TEST(OptionsTest, AFeatureGateSetsTheControllerThatHasItUnlessItsConfigurationDoes) {
  RunOptions options;
  options.feature_gates = {{"AllBeta", true}};
  Manifest manifest;
  manifest.controller_settings["replicaset-controller"].config =
      R"({"terminatingReplicas":"auto"})";
  const Manifest merged = merge(manifest, options);
  EXPECT_EQ(merged.controller_settings.at("statefulset-controller").config,
            R"({"maxUnavailable":"on"})");
  EXPECT_EQ(merged.controller_settings.at("replicaset-controller").config,
            R"({"terminatingReplicas":"auto"})");
  EXPECT_EQ(merged.controller_settings.at("podcertificaterequest-cleaner-controller").config,
            R"({"podCertificateRequest":"on"})");
  EXPECT_EQ(merged.controller_settings
                .at("kube-apiserver-serving-clustertrustbundle-publisher-controller")
                .config,
            R"({"clusterTrustBundle":"on"})");
  EXPECT_FALSE(merged.controller_settings.contains("storageversion-garbage-collector-controller"));
  options.feature_gates = {{"StorageVersionAPI", true}};
  EXPECT_EQ(merge({}, options)
                .controller_settings.at("storageversion-garbage-collector-controller")
                .config,
            R"({"storageVersionAPI":"on"})");
  options.feature_gates = {{"StorageVersionMigrator", true}};
  EXPECT_EQ(merge({}, options).controller_settings.at("storage-version-migrator-controller").config,
            R"({"storageVersionMigrator":"on"})");
  options.feature_gates = {{"DRAWorkloadResourceClaims", true}, {"GenericWorkload", true}};
  EXPECT_EQ(merge({}, options).controller_settings.at("resourceclaim-controller").config,
            R"({"workloadResourceClaims":"on"})");
  EXPECT_EQ(merge({}, options).controller_settings.at("podgroup-protection-controller").config,
            R"({"genericWorkload":"on"})");
  options.feature_gates = {{"DRAPrioritizedList", false}};
  EXPECT_EQ(merge({}, options).controller_settings.at("resourceclaim-controller").config,
            R"({"prioritizedList":"off"})");
  options.feature_gates = {{"PersistentVolumeClaimUnusedSinceTime", true}};
  EXPECT_EQ(merge({}, options)
                .controller_settings.at("persistentvolumeclaim-protection-controller")
                .config,
            R"({"unusedSinceTime":"on"})");
  EXPECT_TRUE(merge({}, {}).controller_settings.empty());
}

TEST(OptionsTest, UnknownGatesAndARateWithoutBurstAreMistakes) {
  RunOptions options;
  options.feature_gates = {{"NoSuchGate", true}};
  options.burst = 0;
  const SettingsResult result = merge_settings(options);
  ASSERT_EQ(result.mistakes.size(), 2U);
  EXPECT_EQ(result.mistakes[0].text, "unrecognized feature gate: NoSuchGate");
  EXPECT_EQ(result.mistakes[1].text, "client.burst must be greater than 0 when client.qps is");
}

}  // namespace
}  // namespace davit::host
