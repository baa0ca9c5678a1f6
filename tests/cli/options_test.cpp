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
  options.bind_address = "localhost";
  options.lease_name = "A";
  options.lease_namespace = "b_c";
  const SettingsResult result = merge_settings(options);
  ASSERT_EQ(result.mistakes.size(), 4U);
  EXPECT_EQ(result.mistakes[0].line, 1);
  EXPECT_EQ(result.mistakes[1].str(), "--bind-address must be an IP address, not \"localhost\"");
}

TEST(OptionsTest, RulesBetweenSettingsHoldAfterTheFlags) {
  RunOptions options;
  options.renew_deadline = seconds(20);
  const SettingsResult result = merge_settings(options);
  ASSERT_EQ(result.mistakes.size(), 1U);
  EXPECT_EQ(result.mistakes[0].str(),
            "leaderElection.leaseDuration (15s) must be greater than renewDeadline (20s)");
}

}  // namespace
}  // namespace davit::host
