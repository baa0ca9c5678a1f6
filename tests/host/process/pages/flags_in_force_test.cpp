#include "host/process/pages/flags_in_force.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/host/process/pages/upstream_settings.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;

TEST(FlagsInForceTest, EveryFlagOfUpstreamHasUpstreamsValueAndText) {
  const FlagValues ours = upstream_flags_in_force(upstream_settings());

  std::istringstream lines(upstream_file("upstream_flagz.txt"));
  std::size_t same = 0;
  std::vector<std::string> different;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    const std::string name = line.substr(0, blank);
    const auto found = ours.find(name);
    if (found != ours.end() && flag_text(found->second) == line.substr(blank + 1)) {
      ++same;
    } else {
      different.push_back(name);
    }
  }

  // Three flags that --help does not show, profiles, which are off by default, and the pair that
  // upstream has made: davit does not call it a file of the operator's.
  EXPECT_THAT(different, ElementsAre("allow-untagged-cloud", "node-sync-period", "openshift-config",
                                     "profiling", "tls-cert-file", "tls-private-key-file"));
  EXPECT_EQ(same, ours.size() - 3);
}

TEST(FlagsInForceTest, AControllersConfigurationAndWorkersAreFlags) {
  SettingsInForce settings;
  settings.controllers["node-lifecycle-controller"].config =
      R"({"nodeMonitorPeriod":"90s","nodeEvictionRate":0.5})";
  settings.controllers["job-controller"].workers = 9;
  settings.manifest.controller_settings["garbage-collector-controller"].enabled = false;
  settings.verbosity = 4;

  const FlagValues flags = upstream_flags_in_force(settings);

  EXPECT_EQ(flag_text(flags.at("node-monitor-period")), "1m30s");
  EXPECT_EQ(flag_text(flags.at("node-eviction-rate")), "0.5");
  EXPECT_EQ(flag_text(flags.at("secondary-node-eviction-rate")), "0.01");
  EXPECT_EQ(flag_text(flags.at("concurrent-job-syncs")), "9");
  EXPECT_EQ(flag_text(flags.at("enable-garbage-collector")), "false");
  EXPECT_EQ(flag_text(flags.at("v")), "4");
}

TEST(FlagsInForceTest, ValuesHaveTheTextOfGosFlags) {
  SettingsInForce settings;
  settings.manifest.client.qps = 0.5;
  settings.manifest.leader_election.lease_duration = std::chrono::seconds(90);
  settings.manifest.feature_gates = {{"AllAlpha", false}, {"JobBackoffLimitPerIndex", true}};
  settings.manifest.authorization.always_allow_paths = {"/a", "/b"};
  settings.manifest.client.min_resync_period = std::chrono::minutes(90);
  settings.manifest.metrics.disabled = {"a", "b"};
  settings.manifest.metrics.allowed_labels = {{"m,l", "a,b"}};
  settings.manifest.logging.modules = {"informer=4", "events=2"};

  const FlagValues flags = upstream_flags_in_force(settings);

  EXPECT_EQ(flag_text(flags.at("kube-api-qps")), "0.5");
  EXPECT_EQ(flag_text(flags.at("leader-elect-lease-duration")), "1m30s");
  EXPECT_EQ(flag_text(flags.at("feature-gates")), ":AllAlpha=false,:JobBackoffLimitPerIndex=true");
  EXPECT_EQ(flag_text(flags.at("authorization-always-allow-paths")), "[/a,/b]");
  EXPECT_EQ(flag_text(flags.at("min-resync-period")), "1h30m0s");
  EXPECT_EQ(flag_text(flags.at("disabled-metrics")), "[a,b]");
  EXPECT_EQ(flag_text(flags.at("allow-metric-labels")), R"(["m,l=a,b"])");
  EXPECT_EQ(flag_text(flags.at("vmodule")), "informer=4,events=2");
}

TEST(FlagsInForceTest, DavitsOwnFlagsAreNotUpstreams) {
  SettingsInForce settings;
  settings.manifest.dry_run = true;
  const FlagValues own = own_flags_in_force(settings);

  EXPECT_EQ(flag_text(own.at("dry-run")), "true");
  EXPECT_EQ(flag_text(own.at("quarantine-window")), "10m0s");
  const FlagValues upstream = upstream_flags_in_force(settings);
  for (const auto& [name, value] : own) EXPECT_FALSE(upstream.contains(name)) << name;
}

TEST(FlagsInForceTest, EachFlagIsALineOfAMoreVerboseLog) {
  SettingsInForce settings;
  settings.verbosity = 1;
  test::RecordingLogSink log{1};

  log_flags(settings, Logger(log));

  EXPECT_EQ(log.lines().size(),
            upstream_flags_in_force(settings).size() + own_flags_in_force(settings).size());
  EXPECT_EQ(log.count(R"(I1 : FLAG: --v="1")"), 1U);
  EXPECT_EQ(log.count(R"(FLAG: --controllers="[*]")"), 1U);
  EXPECT_EQ(log.count(R"(FLAG: --dry-run="false")"), 1U);

  test::RecordingLogSink quiet{0};
  log_flags(settings, Logger(quiet));
  EXPECT_EQ(quiet.lines().size(), 0U);
}

}  // namespace
}  // namespace davit::host
