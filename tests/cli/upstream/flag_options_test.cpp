#include "cli/upstream/flag_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/upstream/flag_values.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The options of a run that has this flag only.
RunOptions take(std::string_view name, const std::vector<std::string>& values) {
  RunOptions options;
  const FoundFlag found = find_upstream_flag(name);
  EXPECT_TRUE(found) << name;
  take_upstream_flag(found, values, options);
  return options;
}

TEST(FlagOptionsTest, AFlagOfAControllerBecomesAMemberOfItsConfiguration) {
  struct Case {
    const char* flag;
    const char* value;
    const char* controller;
    const char* config;
  };
  for (const Case& each : {
           Case{"terminated-pod-gc-threshold", "-1", "pod-garbage-collector-controller",
                R"({"terminatedPodGCThreshold":-1})"},
           Case{"node-monitor-grace-period", "40s", "node-lifecycle-controller",
                R"({"nodeMonitorGracePeriod":"40s"})"},
           Case{"node-eviction-rate", ".5", "node-lifecycle-controller",
                R"({"nodeEvictionRate":0.5})"},
           Case{"max-endpoints-per-slice", "1000", "endpointslice-controller",
                R"({"maxEndpointsPerSlice":1000})"},
           Case{"service-account-private-key-file", "/k", "serviceaccount-token-controller",
                R"({"serviceAccountKeyFile":"/k"})"},
           Case{"enable-taint-manager", "false", "node-lifecycle-controller",
                R"({"legacyEviction":true})"},
       }) {
    const RunOptions options = take(each.flag, {each.value});
    EXPECT_THAT(options.problems, IsEmpty()) << each.flag;
    const auto found = options.controller_settings.find(each.controller);
    ASSERT_NE(found, options.controller_settings.end()) << each.flag;
    EXPECT_EQ(found->second.config, each.config) << each.flag;
  }
}

TEST(FlagOptionsTest, TheRootCaGoesToEveryControllerThatHandsItOut) {
  const RunOptions options = take("root-ca-file", {"/ca.crt"});
  ASSERT_EQ(options.controller_settings.size(), 3U);
  for (const auto& each : options.controller_settings) {
    EXPECT_EQ(each.second.config, R"({"rootCAFile":"/ca.crt"})") << each.first;
  }
}

TEST(FlagOptionsTest, TheDurationOfCertificatesMayHaveAnySign) {
  for (const char* flag : {"cluster-signing-duration", "experimental-cluster-signing-duration"}) {
    const RunOptions options = take(flag, {"-1h"});
    EXPECT_THAT(options.problems, IsEmpty()) << flag;
    EXPECT_EQ(options.controller_settings.at("certificatesigningrequest-signing-controller").config,
              R"({"clusterSigningDuration":"-1h"})")
        << flag;
    EXPECT_THAT(take(flag, {"8760"}).problems, Not(IsEmpty())) << flag;
  }
  EXPECT_THAT(take("legacy-service-account-token-clean-up-period", {"-1h"}).problems,
              Not(IsEmpty()));
}

TEST(FlagOptionsTest, SeveralFlagsOfAControllerAddUpAndTheLastValueCounts) {
  RunOptions options;
  for (const auto& [flag, value] : {std::pair("node-eviction-rate", "1"),
                                    {"unhealthy-zone-threshold", "0.5"},
                                    {"node-eviction-rate", "2"}}) {
    take_upstream_flag(find_upstream_flag(flag), std::vector<std::string>{value}, options);
  }
  EXPECT_EQ(options.controller_settings["node-lifecycle-controller"].config,
            R"({"nodeEvictionRate":2,"unhealthyZoneThreshold":0.5})");
}

TEST(FlagOptionsTest, AFlagOfSeveralControllersReachesEach) {
  const RunOptions options = take("node-monitor-period", {"7s"});
  for (const char* const each : {"node-lifecycle-controller", "cloud-node-lifecycle-controller"}) {
    EXPECT_EQ(options.controller_settings.at(each).config, R"({"nodeMonitorPeriod":"7s"})");
  }
  EXPECT_EQ(take("configure-cloud-routes", {"false"})
                .controller_settings.at("node-route-controller")
                .config,
            R"({"configureCloudRoutes":false})");
}

TEST(FlagOptionsTest, TheGarbageCollectorIsSwitchedOff) {
  const RunOptions options = take("enable-garbage-collector", {"false"});
  EXPECT_EQ(options.controller_settings.at("garbage-collector-controller").enabled, false);
}

TEST(FlagOptionsTest, AFlagWithoutEffectWarnsUnlessItHasItsDefault) {
  EXPECT_THAT(take("external-cloud-volume-plugin", {"x"}).warnings,
              ElementsAre("--external-cloud-volume-plugin has no effect: davit links no cloud"));
  for (const auto& [flag, value] : {std::pair("external-cloud-volume-plugin", ""),
                                    {"pvclaimbinder-sync-period", "0.25m"},
                                    {"horizontal-pod-autoscaler-tolerance", "0.1"},
                                    {"disabled-metrics", ""},
                                    {"cloud-provider", ""}}) {
    const RunOptions options = take(flag, {value});
    EXPECT_THAT(options.warnings, IsEmpty()) << flag;
    EXPECT_THAT(options.problems, IsEmpty()) << flag;
  }
}

TEST(FlagOptionsTest, CLD002_AnExternalCloudEnablesNoProvider) {
  for (const char* const value : {"", "external"}) {
    const RunOptions options = take("cloud-provider", {value});
    EXPECT_THAT(options.problems, IsEmpty()) << value;
    EXPECT_THAT(options.warnings, IsEmpty()) << value;
    EXPECT_TRUE(options.controller_settings.empty()) << value;
  }
}

TEST(FlagOptionsTest, CLD121_TheProviderThatIsNamedIsEnabled) {
  const RunOptions options = take("cloud-provider", {"pools"});
  EXPECT_THAT(options.problems, IsEmpty());
  ASSERT_TRUE(options.controller_settings.contains("pools"));
  EXPECT_EQ(options.controller_settings.at("pools").enabled, true);
  EXPECT_EQ(options.controller_settings.size(), 1U) << "others stay off";
}

TEST(FlagOptionsTest, WhatUpstreamRefusesIsRefused) {
  struct Case {
    const char* flag;
    const char* value;
    const char* problem;
  };
  for (const Case& each : {
           Case{"cloud-provider", "A_B",
                "--cloud-provider must be external, empty or the name of a provider, not "
                "\"A_B\""},
           Case{"cidr-allocator-type", "CloudAllocator",
                "--cidr-allocator-type must be RangeAllocator, not \"CloudAllocator\""},
           Case{"leader-elect-resource-lock", "endpoints",
                "--leader-elect-resource-lock must be leases, not \"endpoints\""},
           Case{"max-endpoints-per-slice", "1001",
                "--max-endpoints-per-slice must be from 1 to 1000, not \"1001\""},
           Case{"concurrent-job-syncs", "0",
                "--concurrent-job-syncs must be from 1 to 1000, not \"0\""},
           Case{"concurrent-device-taint-eviction-syncs", "0",  // DRA79
                "--concurrent-device-taint-eviction-syncs must be from 1 to 1000, not \"0\""},
           Case{"concurrent-resourceclaim-syncs", "0",  // DRA43
                "--concurrent-resourceclaim-syncs must be from 1 to 1000, not \"0\""},
           Case{"mirroring-concurrent-service-endpoint-syncs", "51",
                "--mirroring-concurrent-service-endpoint-syncs must be from 1 to 50, not \"51\""},
           Case{"large-cluster-size-threshold", "-1",
                "--large-cluster-size-threshold must be at least 0, not \"-1\""},
           Case{"namespace-sync-period", "5",
                "--namespace-sync-period must be a duration such as 15s or 1m30s, not \"5\""},
           Case{"node-eviction-rate", "fast",
                "--node-eviction-rate must be a number, not \"fast\""},
           Case{"show-hidden-metrics-for-version", "1.34",
                "--show-hidden-metrics-for-version must be the previous minor version, 1.35, not "
                "\"1.34\""},
           Case{"log-flush-frequency", "0s",
                "--log-flush-frequency must be longer than zero, not \"0s\""},
           Case{"enable-dynamic-provisioning", "yes",
                "--enable-dynamic-provisioning must be true or false, not \"yes\""},
           Case{"disabled-metrics", "a,b c",
                "--disabled-metrics must be names of metrics, not \"a,b c\""},
           Case{"allow-metric-labels", "m",
                "--allow-metric-labels: \"m\" must be formatted as key=value"},
           Case{"vmodule", "informer=4,events",
                "--vmodule: \"events\" does not have the format pattern=N"},
       }) {
    EXPECT_THAT(take(each.flag, {each.value}).problems, ElementsAre(each.problem));
  }
}

TEST(FlagOptionsTest, PatternsOfSeveralFlagsAddUp) {
  const Manifest merged = merge({}, take("vmodule", {"informer=4,", "events=2"}));
  EXPECT_THAT(merged.logging.modules, ElementsAre("informer=4", "events=2"));
}

TEST(FlagOptionsTest, RulesForMetricsAreOfTheManifest) {
  EXPECT_THAT(merge({}, take("disabled-metrics", {"a,b", "c"})).metrics.disabled,
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(merge({}, take("allow-metric-labels", {"m,l=a,b"})).metrics.allowed_labels,
              ElementsAre(testing::Pair("m,l", "a,b")));
  EXPECT_EQ(merge({}, take("allow-metric-labels-manifest", {"/f"})).metrics.allowed_labels_file,
            "/f");
  EXPECT_THAT(take("show-hidden-metrics-for-version", {"1.35"}).warnings, IsEmpty());
}

TEST(FlagOptionsTest, TheResyncPeriodIsOfTheManifest) {
  EXPECT_EQ(merge({}, take("min-resync-period", {"90m"})).client.min_resync_period,
            std::chrono::minutes(90));
  EXPECT_EQ(merge({}, take("min-resync-period", {"0"})).client.min_resync_period, Duration::zero());
}

TEST(FlagOptionsTest, FilesGetAnAbsolutePath) {
  const FoundFlag found = find_upstream_flag("root-ca-file");
  const Result<Json> value = read_flag(*found.flag, std::vector<std::string>{"ca.crt"});
  ASSERT_TRUE(value);
  EXPECT_TRUE(value->text().starts_with('/') && value->text().ends_with("/ca.crt"));
}

}  // namespace
}  // namespace davit::host
