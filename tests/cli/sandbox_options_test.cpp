#include "cli/sandbox_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace davit::host {
namespace {

using testing::Contains;
using testing::HasSubstr;

Result<SandboxSettings> merged(const SandboxOptions& options,
                               std::map<std::string, std::string> environment = {
                                   {"HOME", "/home/me"}, {"XDG_RUNTIME_DIR", "/run/me"}}) {
  return merge_sandbox_settings(
      options, [environment = std::move(environment)](const std::string& name) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::nullopt : std::optional(found->second);
      });
}

TEST(SandboxOptionsTest, DefaultsAreForOnesOwnMachine) {
  const auto settings = merged({});

  ASSERT_TRUE(settings) << settings.error().message();
  EXPECT_EQ(settings->credentials_file, "/home/me/.local/state/davit/sandbox-credentials.json");
  EXPECT_EQ(kubeconfig_path(*settings, 6443), "/run/me/davit/sandbox-6443.kubeconfig");
  EXPECT_EQ(sandbox_url(*settings, 6443), "https://127.0.0.1:6443");
  EXPECT_TRUE(settings->controllers.nodes && settings->controllers.garbage_collector);
}

TEST(SandboxOptionsTest, SurroundingsSayWhereFilesGo) {
  EXPECT_EQ(merged({}, {{"XDG_STATE_HOME", "/state"}})->credentials_file,
            "/state/davit/sandbox-credentials.json");
  EXPECT_EQ(merged({}, {{"XDG_STATE_HOME", "/state"}})->kubeconfig_directory, "/state/davit");
  EXPECT_EQ(merged({}, {{"XDG_RUNTIME_DIR", "/run/me"}})->credentials_file,
            "/run/me/davit/sandbox-credentials.json");
  EXPECT_THAT(merged({}, {}).error().message(), HasSubstr("no directory for the credentials"));
}

TEST(SandboxOptionsTest, FeatureGatesAreThoseOfUpstream) {
  SandboxOptions options;
  EXPECT_FALSE(is_gate_on("HPAScaleToZero", merged(options)->feature_gates));
  EXPECT_TRUE(is_gate_on("HPAConfigurableTolerance", merged(options)->feature_gates));
  options.feature_gates = {"HPAScaleToZero=true,HPAConfigurableTolerance=false"};
  EXPECT_TRUE(is_gate_on("HPAScaleToZero", merged(options)->feature_gates));
  EXPECT_FALSE(is_gate_on("HPAConfigurableTolerance", merged(options)->feature_gates));
  options.feature_gates = {"Nope=true"};
  EXPECT_THAT(merged(options).error().message(), HasSubstr("Nope"));
  options.feature_gates = {"HPAScaleToZero"};
  EXPECT_FALSE(merged(options));
}

TEST(SandboxOptionsTest, UsageMayFollowTheRequests) {
  constexpr sandbox::Nanos kMilli = sandbox::kNanosPerUnit / 1000;
  constexpr Duration kAge{};
  SandboxOptions options;
  EXPECT_TRUE(merged(options)->metrics.cpu.at(kAge, 200 * kMilli) == kMilli);
  options.usage_cpu = "50%";
  EXPECT_TRUE(merged(options)->metrics.cpu.at(kAge, 200 * kMilli) == 100 * kMilli);
  for (const char* text : {"-1m", "x", "share(1)", ""}) {
    options.usage_cpu = text;
    EXPECT_THAT(merged(options).error().message(),
                HasSubstr("--usage-cpu must be a quantity, a percentage of the request or a "
                          "function of time, not " +
                          std::string(text)));
  }
}

struct AddressCase {
  const char* address;
  SandboxSecurity security;
  SandboxAccess access;
  const char* mistake;  ///< Empty: fine.
};

TEST(SandboxOptionsTest, OthersNeverReachItWithoutAuthorization) {
  SandboxOptions options;
  options.authorization = SandboxAuthorization::kAlwaysAllow;
  EXPECT_TRUE(merged(options));

  options.access = SandboxAccess::kAnyAddress;
  options.address = "0.0.0.0";
  EXPECT_THAT(merged(options).error().message(),
              HasSubstr("--authorization-mode AlwaysAllow needs a loopback address"));
  options.authorization = SandboxAuthorization::kRbac;
  EXPECT_TRUE(merged(options));
}

TEST(SandboxOptionsTest, OthersReachItOnlyOnRequestAndNeverInPlain) {
  using Security = SandboxSecurity;
  using Access = SandboxAccess;
  const AddressCase cases[] = {
      {"127.0.0.1", Security::kPlain, Access::kLoopbackOnly, ""},
      {"127.0.0.9", Security::kTls, Access::kLoopbackOnly, ""},
      {"::1", Security::kTls, Access::kLoopbackOnly, ""},
      {"10.0.0.1", Security::kTls, Access::kLoopbackOnly, "--allow-non-loopback"},
      {"0.0.0.0", Security::kTls, Access::kLoopbackOnly, "--allow-non-loopback"},
      {"0.0.0.0", Security::kTls, Access::kAnyAddress, ""},
      {"10.0.0.1", Security::kPlain, Access::kAnyAddress, "--insecure needs a loopback address"},
      {"localhost", Security::kTls, Access::kLoopbackOnly, "must be an IP address"},
  };
  for (const AddressCase& each : cases) {
    SandboxOptions options;
    options.address = each.address;
    options.security = each.security;
    options.access = each.access;
    const auto settings = merged(options);
    EXPECT_EQ(settings.has_value(), *each.mistake == '\0') << each.address;
    EXPECT_THAT(settings.error().message(), HasSubstr(each.mistake)) << each.address;
  }
}

TEST(SandboxOptionsTest, CertificateNamesTheAddress) {
  SandboxOptions options;
  options.address = "10.0.0.1";
  options.access = SandboxAccess::kAnyAddress;
  EXPECT_THAT(merged(options)->certificate_for, Contains("10.0.0.1"));

  options.address = "::";
  EXPECT_EQ(sandbox_url(*merged(options), 1), "https://[::1]:1");
}

TEST(SandboxOptionsTest, ControllersAreSwitchedByNameOrAlias) {
  SandboxOptions options;
  options.controllers = {"*", "-gc", "-nodes"};
  const auto settings = merged(options);
  EXPECT_FALSE(settings->controllers.garbage_collector);
  EXPECT_FALSE(settings->controllers.nodes);
  EXPECT_TRUE(settings->controllers.scheduler);

  options.controllers = {"scheduler"};
  EXPECT_FALSE(merged(options)->controllers.namespaces);

  options.controllers = {"shedule"};
  EXPECT_THAT(merged(options).error().message(), HasSubstr("--controllers: \"shedule\" is not in"));
}

/// Two that run by default and one that does not.
const std::vector<KnownController> kPlugins = {
    {"deployment-controller", {"deployment"}, false}, {"tally", {}, false}, {"rare", {}, true}};

std::vector<std::string> plugins_of(const std::vector<std::string>& controllers) {
  SandboxOptions options;
  options.controllers = controllers;
  const auto settings = merge_sandbox_settings(
      options, [](const std::string&) { return std::optional<std::string>("/home/me"); }, kPlugins);
  EXPECT_TRUE(settings) << settings.error().message();
  return settings ? settings->controllers.plugins : std::vector<std::string>();
}

Result<SandboxSettings> merged_with(const std::vector<KnownController>& plugins,
                                    const std::vector<std::string>& controllers) {
  SandboxOptions options;
  options.controllers = controllers;
  return merge_sandbox_settings(
      options, [](const std::string&) { return std::optional<std::string>("/home/me"); }, plugins);
}

TEST(SandboxOptionsTest, KindsWhosePluginRunsHaveAController) {
  SandboxControllers running;
  EXPECT_THAT(kinds_without_controller(running), testing::Contains("statefulsets.apps"));
  running.plugins = {"statefulset-controller", "job-controller", "cronjob-controller",
                     "daemonset-controller", "replicationcontroller-controller"};
  EXPECT_THAT(kinds_without_controller(running),
              testing::ElementsAre("horizontalpodautoscalers.autoscaling"));
}

TEST(SandboxOptionsTest, OnlyOneOfTwoControllersDoesTheSameWork) {
  struct Double {
    KnownController plugin;
    std::string own_name;
    bool SandboxControllers::*own;
  };
  const Double doubles[] = {{{"namespace-controller", {"namespace"}, false},
                             "namespace",
                             &SandboxControllers::namespaces},
                            {{"garbage-collector-controller", {"garbagecollector"}, false},
                             "gc",
                             &SandboxControllers::garbage_collector},
                            {{"serviceaccount-controller", {"serviceaccount"}, false},
                             "accounts",
                             &SandboxControllers::default_accounts},
                            {{"root-ca-certificate-publisher-controller", {}, false},
                             "accounts",
                             &SandboxControllers::root_ca}};
  for (const Double& each : doubles) {
    const std::string& plugin = each.plugin.name;
    struct Case {
      std::vector<std::string> controllers;
      bool own;
      bool plugin;
    };
    const Case cases[] = {{{"*"}, true, false},
                          {{"*", "plugins"}, true, false},
                          {{"*", plugin}, false, true},
                          {{"*", "-" + each.own_name}, false, true},
                          {{"*", "-" + each.own_name, "-plugins"}, false, false},
                          {{"plugins"}, false, true},
                          {{each.own_name}, true, false}};
    for (const Case& wanted : cases) {
      SandboxOptions options;
      options.controllers = wanted.controllers;
      const auto settings = merge_sandbox_settings(
          options, [](const std::string&) { return std::optional<std::string>("/home/me"); },
          {each.plugin});
      ASSERT_TRUE(settings) << settings.error().message();
      EXPECT_EQ(settings->controllers.*each.own, wanted.own) << wanted.controllers.back();
      EXPECT_EQ(!settings->controllers.plugins.empty(), wanted.plugin) << wanted.controllers.back();
    }
  }
}

TEST(SandboxOptionsTest, ClaimsHaveOneBinderAndTheDriverNeedsARealOne) {
  const KnownController binder{
      "persistentvolume-binder-controller", {"persistentvolume-binder"}, false};
  struct Case {
    std::vector<std::string> controllers;
    bool volumes;
    bool storage;
    bool plugin;
  };
  const Case cases[] = {{{"*"}, false, true, true},
                        {{"*", "-plugins"}, true, false, false},
                        {{"*", "-persistentvolume-binder"}, true, false, false},
                        {{"*", "-plugins", "storage"}, false, true, false},
                        {{"*", "-plugins", "-volumes"}, false, false, false},
                        {{"*", "-volumes"}, false, true, true},
                        {{"*", "-storage"}, false, false, true},
                        {{"*", "volumes"}, true, false, false},
                        {{"nodes", "plugins"}, false, false, true},
                        {{"nodes", "volumes"}, true, false, false}};
  for (const Case& wanted : cases) {
    SandboxOptions options;
    options.controllers = wanted.controllers;
    const auto settings = merge_sandbox_settings(
        options, [](const std::string&) { return std::optional<std::string>("/home/me"); },
        {binder});
    ASSERT_TRUE(settings) << settings.error().message();
    const SandboxControllers& chosen = settings->controllers;
    EXPECT_EQ(chosen.volumes, wanted.volumes) << testing::PrintToString(wanted.controllers);
    EXPECT_EQ(chosen.storage, wanted.storage) << testing::PrintToString(wanted.controllers);
    EXPECT_EQ(!chosen.plugins.empty(), wanted.plugin) << testing::PrintToString(wanted.controllers);
  }
}

TEST(SandboxOptionsTest, DevicesAreSimulatedIfAControllerCaresForTheirClaims) {
  const KnownController claims{"resourceclaim-controller", {"resource-claim-controller"}, false};
  struct Case {
    std::vector<std::string> controllers;
    bool devices;
  };
  const Case cases[] = {{{"*"}, true},
                        {{"*", "-devices"}, false},
                        {{"*", "-plugins"}, false},
                        {{"*", "-resource-claim-controller"}, false},
                        {{"*", "-plugins", "devices"}, true},
                        {{"nodes", "plugins"}, false},
                        {{"devices"}, true}};
  for (const Case& wanted : cases) {
    SandboxOptions options;
    options.controllers = wanted.controllers;
    const auto settings = merge_sandbox_settings(
        options, [](const std::string&) { return std::optional<std::string>("/home/me"); },
        {claims});
    ASSERT_TRUE(settings) << settings.error().message();
    EXPECT_EQ(settings->controllers.devices, wanted.devices)
        << testing::PrintToString(wanted.controllers);
  }
}

TEST(SandboxOptionsTest, ACloudIsSimulatedIfItIsNamedAndSwitchesItsProviderOn) {
  const std::vector<KnownController> plugins = {{"cloud-node-controller", {"cloud-node"}, false},
                                                {"pools", {}, true}};
  struct Case {
    std::vector<std::string> controllers;
    bool cloud;
    std::vector<std::string> plugins;
  };
  const Case cases[] = {{{"*"}, false, {"cloud-node-controller"}},
                        {{"*", "cloud"}, true, {"cloud-node-controller", "pools"}},
                        {{"*", "cloud", "-pools"}, true, {"cloud-node-controller"}},
                        {{"*", "-cloud-node", "cloud"}, true, {"pools"}},
                        {{"*", "-plugins", "cloud"}, true, {}},
                        {{"nodes", "cloud"}, true, {}},
                        {{"*", "pools"}, false, {"cloud-node-controller", "pools"}}};
  for (const Case& wanted : cases) {
    const auto settings = merged_with(plugins, wanted.controllers);
    ASSERT_TRUE(settings) << settings.error().message();
    EXPECT_EQ(settings->controllers.cloud, wanted.cloud)
        << testing::PrintToString(wanted.controllers);
    EXPECT_EQ(settings->controllers.plugins, wanted.plugins)
        << testing::PrintToString(wanted.controllers);
  }
  EXPECT_THAT(merged_with({plugins.front()}, {"*", "cloud"}).error().message(),
              HasSubstr("--controllers: cloud needs the plugin pools, which is its provider"));
}

TEST(SandboxOptionsTest, ControllersThatNeedARangeGetThatOfTheSandbox) {
  SandboxSettings settings;
  EXPECT_EQ(sandbox_config_of("pools", settings), "");
  EXPECT_EQ(sandbox_config_of("node-route-controller", settings), "");
  EXPECT_EQ(sandbox_config_of("node-ipam-controller", settings), "");

  settings.controllers.cloud = true;
  settings.options.load_balancer_range = "192.0.2.0/28,fd00::/120";
  settings.options.nodes.pod_ranges = sandbox::PodRanges::kFromCluster;
  EXPECT_THAT(sandbox_config_of("pools", settings),
              HasSubstr(R"("addresses":["192.0.2.0/28","fd00::/120"])"));
  EXPECT_EQ(sandbox_config_of("node-route-controller", settings),
            R"({"clusterCIDR":"10.240.0.0/12"})");
  EXPECT_EQ(sandbox_config_of("node-ipam-controller", settings),
            R"({"allocateNodeCIDRs":true,"clusterCIDR":"10.240.0.0/12"})");
}

TEST(SandboxOptionsTest, ControllersOfPluginsRunUnlessTheyAreLeftOutByNameOrTogether) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  EXPECT_THAT(plugins_of({"*"}), ElementsAre("deployment-controller", "tally"));
  EXPECT_THAT(plugins_of({"*", "rare"}), ElementsAre("deployment-controller", "tally", "rare"));
  EXPECT_THAT(plugins_of({"*", "-deployment"}), ElementsAre("tally"));
  EXPECT_THAT(plugins_of({"*", "-plugins"}), IsEmpty());
  EXPECT_THAT(plugins_of({"deployment", "*", "-plugins"}), ElementsAre("deployment-controller"));
  EXPECT_THAT(plugins_of({"gc"}), IsEmpty());
  EXPECT_THAT(plugins_of({"gc", "plugins"}), ElementsAre("deployment-controller", "tally"));
  EXPECT_THAT(plugins_of({}), IsEmpty());
}

TEST(SandboxOptionsTest, PluginFilesCountOnlyWhenOneOfTheirControllersMayRun) {
  const auto may = [](const std::vector<std::string>& controllers) {
    SandboxOptions options;
    options.controllers = controllers;
    return may_run_plugins(options);
  };
  EXPECT_TRUE(may({"*"}));
  EXPECT_TRUE(may({"gc", "plugins"}));
  EXPECT_TRUE(may({"gc", "deployment"}));
  EXPECT_TRUE(may({"*", "-plugins", "-deployment"})) << "the name may be misspelt";
  EXPECT_FALSE(may({"*", "-plugins"}));
  EXPECT_FALSE(may({"gc", "-nodes"}));
  EXPECT_FALSE(may({}));
}

}  // namespace
}  // namespace davit::host
