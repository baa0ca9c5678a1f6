#include "cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "host/process/manifest_difference.hpp"
#include "host/upstream/flag_values.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

/// The result of one command line.
struct Outcome {
  int code = -1;
  std::optional<RunOptions> run;
  std::optional<SandboxOptions> sandbox;
  std::optional<DemoOptions> demo;
  std::optional<PluginExploreOptions> explore;
  std::optional<PluginValidateOptions> validate;
  std::optional<DevOptions> dev;
  std::string out;
  std::string err;
};

Outcome call(const std::vector<std::string>& args) {
  Outcome outcome;
  std::ostringstream out;
  std::ostringstream err;
  const auto run = [&](const RunOptions& options) {
    outcome.run = options;
    return 7;
  };
  const auto sandbox = [&](const SandboxOptions& options) {
    outcome.sandbox = options;
    return 8;
  };
  const auto demo = [&](const DemoOptions& options) {
    outcome.demo = options;
    return 9;
  };
  const auto validate = [&](const PluginValidateOptions& options) {
    outcome.validate = options;
    return 10;
  };
  const auto dev = [&](const DevOptions& options) {
    outcome.dev = options;
    return 11;
  };
  const auto explore = [&](const PluginExploreOptions& options) {
    outcome.explore = options;
    return 12;
  };
  outcome.code = run_command_line(args, {run, sandbox, demo, explore, validate, dev}, out, err);
  outcome.out = out.str();
  outcome.err = err.str();
  return outcome;
}

TEST(CommandLineTest, AnEmptyValueMayFollowTheEqualsSignOrTheFlag) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"run", "--control-socket=", "--port=1"},
        std::vector<std::string>{"run", "--control-socket", "", "--port=1"}}) {
    const Outcome outcome = call(args);
    ASSERT_TRUE(outcome.run) << outcome.err;
    EXPECT_EQ(outcome.run->control_socket, "");
    EXPECT_EQ(outcome.run->port, 1);
  }
}

TEST(CommandLineTest, FlagsThatAreNotGivenHaveNoValue) {
  const Outcome outcome = call({"run"});
  EXPECT_EQ(outcome.code, 7) << "the command's own exit code";
  ASSERT_TRUE(outcome.run);
  EXPECT_EQ(outcome.run->manifest, "");
  EXPECT_FALSE(outcome.run->qps || outcome.run->leader_elect || outcome.run->controllers ||
               outcome.run->dry_run || outcome.run->verbosity || outcome.run->log_format);
}

TEST(CommandLineTest, DemoTakesItsFlags) {
  const Outcome outcome = call({"demo", "--replicas=2", "--plugin-dir=/p"});
  EXPECT_EQ(outcome.code, 9);
  ASSERT_TRUE(outcome.demo);
  EXPECT_EQ(outcome.demo->replicas, 2);
  EXPECT_THAT(outcome.demo->plugin_directories, ElementsAre("/p"));
}

TEST(CommandLineTest, EveryFlagOfRunIsUnderstood) {
  const Outcome outcome = call({"run",
                                "--manifest=m.yaml",
                                "--kubeconfig",
                                "k",
                                "--master=https://m",
                                "--controllers=*,-foo",
                                "--controllers",
                                "bar",
                                "--kube-api-qps=50.5",
                                "--kube_api_burst=60",
                                "--kube-api-content-type=application/json",
                                "--leader-elect=false",
                                "--leader-elect-lease-duration=1m",
                                "--leader-elect-renew-deadline=30s",
                                "--leader-elect-retry-period=1.5s",
                                "--leader-elect-resource-lock=leases",
                                "--leader-elect-resource-name=n",
                                "--leader-elect-resource-namespace=ns",
                                "--controller-start-interval=100ms",
                                "--controller-shutdown-timeout=5s",
                                "--port=0",
                                "-v",
                                "4",
                                "--logging-format=json",
                                "--dry-run",
                                "--plugin-dir=a",
                                "--plugin-dir=b",
                                "--workers=x=3,y=4",
                                "--workers=z=5",
                                "--concurrent-deployment-syncs=8",
                                "--concurrent-gc-syncs=1"});
  ASSERT_TRUE(outcome.run) << outcome.err;
  const RunOptions& options = *outcome.run;
  EXPECT_EQ(options.manifest, "m.yaml");
  EXPECT_EQ(options.kubeconfig, "k");
  EXPECT_EQ(options.master, "https://m");
  EXPECT_THAT(*options.controllers, ElementsAre("*", "-foo", "bar"));
  EXPECT_EQ(options.qps, 50.5);
  EXPECT_EQ(options.burst, 60);
  EXPECT_EQ(options.content_type, "application/json");
  EXPECT_EQ(options.leader_elect, false);
  EXPECT_EQ(options.lease_duration, seconds(60));
  EXPECT_EQ(options.renew_deadline, seconds(30));
  EXPECT_EQ(options.retry_period, std::chrono::milliseconds(1500));
  EXPECT_EQ(options.lease_name, "n");
  EXPECT_EQ(options.lease_namespace, "ns");
  EXPECT_EQ(options.controller_start_interval, std::chrono::milliseconds(100));
  EXPECT_EQ(options.controller_shutdown_timeout, seconds(5));
  EXPECT_EQ(options.port, 0);
  EXPECT_EQ(options.verbosity, 4);
  EXPECT_EQ(options.log_format, LogFormat::kJson);
  EXPECT_EQ(options.dry_run, true);
  EXPECT_THAT(options.plugin_directories, ElementsAre("a", "b"));
  EXPECT_THAT(options.workers, ElementsAre(Pair("deployment-controller", 8U),
                                           Pair("garbage-collector-controller", 1U), Pair("x", 3U),
                                           Pair("y", 4U), Pair("z", 5U)));
}

TEST(CommandLineTest, FlagsForServingSetTheManifest) {
  const Outcome outcome = call(
      {"run", "--bind-address=127.0.0.2", "--secure-port=8443", "--tls-sni-cert-key=a,b:c,d",
       "--tls-sni-cert-key=e,f", "--tls-cipher-suites=A,B", "--tls-curve-preferences=23,29",
       "--profiling", "--authentication-token-webhook-cache-ttl=1m", "--authentication-skip-lookup",
       "--authorization-always-allow-paths=", "--client-ca-file=/ca.crt"});
  ASSERT_TRUE(outcome.run) << outcome.err;
  const Manifest merged = merge({}, *outcome.run);
  EXPECT_EQ(merged.serving.bind_address, "127.0.0.2");
  EXPECT_EQ(merged.serving.port, 8443);
  EXPECT_THAT(merged.serving.named_pairs, ElementsAre("a,b:c,d", "e,f"));
  EXPECT_THAT(merged.serving.cipher_suites, ElementsAre("A", "B"));
  EXPECT_THAT(merged.serving.curves, ElementsAre("23", "29"));
  EXPECT_TRUE(merged.serving.profiling);
  EXPECT_EQ(merged.authentication.token_cache_ttl, seconds(60));
  EXPECT_TRUE(merged.authentication.skip_lookup);
  EXPECT_THAT(merged.authorization.always_allow_paths, ElementsAre());
  EXPECT_EQ(merged.authentication.client_ca_file, "/ca.crt");
}

TEST(CommandLineTest, FlagsOfConcurrencyMeanTheWorkersOfTheirControllers) {
  const Outcome daemons = call({"run", "--concurrent-daemonset-syncs=4"});
  ASSERT_TRUE(daemons.run) << daemons.err;
  EXPECT_THAT(daemons.run->workers, ElementsAre(Pair("daemonset-controller", 4U)));
  const Outcome outcome = call({"run", "--concurrent-ttl-after-finished-syncs=2"});
  ASSERT_TRUE(outcome.run) << outcome.err;
  EXPECT_THAT(outcome.run->workers, ElementsAre(Pair("ttl-after-finished-controller", 2U)));
  const Outcome tokens = call({"run", "--concurrent-serviceaccount-token-syncs=4"});
  ASSERT_TRUE(tokens.run) << tokens.err;
  EXPECT_THAT(tokens.run->workers, ElementsAre(Pair("serviceaccount-token-controller", 4U)));
  EXPECT_THAT(call({"run", "--concurrent-job-syncs=4"}).run->workers,
              ElementsAre(Pair("job-controller", 4U)));
  EXPECT_THAT(call({"run", "--concurrent-cron-job-syncs=4"}).run->workers,
              ElementsAre(Pair("cronjob-controller", 4U)));
  EXPECT_THAT(call({"run", "--concurrent-resource-quota-syncs=4"}).run->workers,
              ElementsAre(Pair("resourcequota-controller", 4U)));
  EXPECT_THAT(call({"run", "--mirroring-concurrent-service-endpoint-syncs=4"}).run->workers,
              ElementsAre(Pair("endpointslice-mirroring-controller", 4U)));
  for (const char* flag : {"--concurrent-rc-syncs=3", "--concurrent_rc_syncs=3"}) {
    const Outcome other = call({"run", flag});
    ASSERT_TRUE(other.run) << other.err;
    EXPECT_THAT(other.run->workers, ElementsAre(Pair("replicationcontroller-controller", 3U)));
  }
  const Outcome sets = call({"run", "--concurrent-statefulset-syncs=4"});
  ASSERT_TRUE(sets.run) << sets.err;
  EXPECT_THAT(sets.run->workers, ElementsAre(Pair("statefulset-controller", 4U)));
}

TEST(CommandLineTest, BooleansAndVerbosityHaveShortForms) {
  EXPECT_EQ(call({"run", "--leader-elect"}).run->leader_elect, true);
  EXPECT_EQ(call({"run", "--dry-run=false"}).run->dry_run, false);
  EXPECT_EQ(call({"run", "--v=3"}).run->verbosity, 3);
}

struct UsageCase {
  std::vector<std::string> args;
  const char* want;  // The rest of the line after "davit: ".
};

TEST(CommandLineTest, VerbosityTakesAnEqualsSignAndTheLastOfTwoFlagsCounts) {
  const Outcome outcome = call({"run", "-v=4", "--kubeconfig=first", "--kubeconfig=second"});
  EXPECT_EQ(outcome.run->verbosity, 4);
  EXPECT_EQ(outcome.run->kubeconfig, "second");
}

TEST(CommandLineTest, UsageMistakesAreOneLineAndExitTwo) {
  const UsageCase cases[] = {
      {{"help", "walk"}, "unknown command walk; see davit --help"},
      {{"walk"}, "unknown command walk; see davit --help"},
      {{"run", "--controlers=x"},
       "unknown flag --controlers; did you mean --controllers?; see davit --help"},
      {{"run", "stray"}, "The following argument was not expected: stray"},
      {{"run", "--kube-api-qps=fast"}, "--kube-api-qps: Value fast not in range -"},
      {{"run", "--kube-api-burst=-1"}, "--kube-api-burst: Value -1 not in range 0 to 1000000"},
      {{"run", "--kube-api-content-type=text/html"},
       "--kube-api-content-type: text/html not in {application/vnd.kubernetes.protobuf,"},
      {{"run", "--port=65536"}, "--port: Value 65536 not in range -1 to 65535"},
      {{"run", "--leader-elect-lease-duration=5"},
       "--leader-elect-lease-duration: must be a duration"},
      {{"run", "--leader-elect-lease-duration=5ms"},
       "--leader-elect-lease-duration: must be a duration"},
      {{"run", "--workers=x"}, "--workers: must be CONTROLLER=NUMBER, not \"x\""},
      {{"run", "--workers=x=0"}, "--workers: must be a whole number from 1 to 1000, not \"0\""},
      {{"run", "--concurrent-replicasets-syncs=1"},
       "unknown flag --concurrent-replicasets-syncs; did you mean --concurrent-replicaset-syncs?"},
      {{"run", "--manifest"}, "--manifest: 1 required FILE missing"},
      {{"run", "--logging-format=xml"}, "--logging-format: xml not in {text,json}"},
      {{"manifest", "check"}, "FILE is required"},
      {{"plugin", "inspect", "a", "-o", "xml"}, "--output: xml not in {text,json}"},
  };
  for (const UsageCase& each : cases) {
    const Outcome outcome = call(each.args);
    EXPECT_EQ(outcome.code, 2) << testing::PrintToString(each.args);
    EXPECT_THAT(outcome.err, StartsWith(std::string("davit: ") + each.want));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(outcome.run) << "nothing half done";
  }
}

TEST(CommandLineTest, RawVersionHasUpstreamsForm) {
  for (const std::vector<std::string>& args : {std::vector<std::string>{"--version=raw"},
                                               {"run", "--version=raw"},
                                               {"run", "--dry-run", "--version=raw"}}) {
    const Outcome outcome = call(args);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_FALSE(outcome.run);
    EXPECT_THAT(outcome.out,
                testing::MatchesRegex(
                    R"(version.Info\{Major:"[0-9]+", Minor:"[0-9]+", GitVersion:"v)" DAVIT_VERSION
                    R"(", GitCommit:"[^"]+", Compiler:"[^"]+", Platform:"linux/[^"]+"\}
)"));
  }
  EXPECT_EQ(call({"run", "--version=v1.36.2"}).code, 2) << "davit reports its own version only";
}

TEST(CommandLineTest, HelpAndVersionAreNotMistakes) {
  EXPECT_EQ(call({"--version"}).out, "davit " DAVIT_VERSION "\n");
  EXPECT_EQ(call({"run", "--version"}).code, 0);
  const Outcome help = call({"run", "--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* group : {"Controllers:", "Client:", "Leader election:", "Logging:"}) {
    EXPECT_THAT(help.out, HasSubstr(group));
  }
}

TEST(CommandLineTest, HelpExplainsTheProgramAGroupOrACommand) {
  const struct {
    std::vector<std::string> args;
    std::vector<std::string> same_as;
  } cases[] = {
      {{}, {"--help"}},
      {{"help"}, {"--help"}},
      {{"help", "run"}, {"run", "--help"}},
      {{"help", "plugin", "new"}, {"plugin", "new", "--help"}},
      {{"plugin"}, {"plugin", "--help"}},
      {{"ctl"}, {"ctl", "--help"}},
  };
  for (const auto& each : cases) {
    const Outcome outcome = call(each.args);
    EXPECT_EQ(outcome.code, 0) << testing::PrintToString(each.args);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out, call(each.same_as).out);
    EXPECT_THAT(outcome.out, HasSubstr("Usage: davit"));
  }
  EXPECT_EQ(call({"version"}).out, "davit " DAVIT_VERSION "\n");
}

TEST(CommandLineTest, SandboxRunsWithItsFlags) {
  const Outcome outcome =
      call({"sandbox", "--port", "0", "--nodes=5", "--zones", "2", "--insecure", "--data=f",
            "--controllers=*,-gc", "--authorization-mode=AlwaysAllow", "-v=2"});

  EXPECT_EQ(outcome.code, 8) << outcome.err;
  ASSERT_TRUE(outcome.sandbox);
  EXPECT_EQ(outcome.sandbox->port, 0);
  EXPECT_EQ(outcome.sandbox->nodes.count, 5);
  EXPECT_EQ(outcome.sandbox->nodes.zones, 2);
  EXPECT_EQ(outcome.sandbox->security, SandboxSecurity::kPlain);
  EXPECT_EQ(outcome.sandbox->data_file, "f");
  EXPECT_THAT(outcome.sandbox->controllers, ElementsAre("*", "-gc"));
  EXPECT_EQ(outcome.sandbox->authorization, SandboxAuthorization::kAlwaysAllow);
  EXPECT_EQ(outcome.sandbox->verbosity, 2);
}

TEST(CommandLineTest, UnknownFlagIsFoundBehindAnothersValue) {
  const Outcome outcome = call({"sandbox", "--port", "0", "--node", "3"});

  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "davit: unknown flag --node; did you mean --nodes?; see davit --help\n");
}

TEST(CommandLineTest, DevTakesADirectoryAndHowToBuild) {
  const Outcome outcome = call({"dev", "here", "--plugin=a", "--cmake-arg=-DX=1", "--debug"});
  EXPECT_EQ(outcome.code, 11) << outcome.err;
  ASSERT_TRUE(outcome.dev);
  EXPECT_EQ(outcome.dev->directory, "here");
  EXPECT_EQ(outcome.dev->plugin, "a");
  EXPECT_EQ(outcome.dev->cmake_args, (std::vector<std::string>{"-DX=1"}));
  EXPECT_EQ(outcome.dev->debug, DevOptions::Debug::kYes);
  EXPECT_EQ(call({"dev"}).dev->directory, ".");
}

TEST(CommandLineTest, ValidateTakesASeedALimitAndChecks) {
  const Outcome outcome = call({"plugin", "validate", "x.so", "--seed=7", "--timeout", "5",
                                "--check=load", "--check", "swap", "-o", "json"});
  EXPECT_EQ(outcome.code, 10) << outcome.err;
  ASSERT_TRUE(outcome.validate);
  EXPECT_EQ(outcome.validate->file, "x.so");
  EXPECT_EQ(outcome.validate->seed, 7U);
  EXPECT_EQ(outcome.validate->limit_seconds, 5);
  EXPECT_EQ(outcome.validate->checks, (std::vector<std::string>{"load", "swap"}));
  EXPECT_EQ(outcome.validate->output, PluginValidateOptions::Output::kJson);
  EXPECT_EQ(call({"plugin", "validate"}).code, 2);
  EXPECT_EQ(call({"plugin", "validate", "x.so", "--timeout=0"}).code, 2);
}

TEST(CommandLineTest, PluginExploreHasItsOptions) {
  const Outcome outcome =
      call({"plugin", "explore", "x.so", "--scenario=s.yaml", "--pairs", "--minutes=5",
            "--replay=davit-explore/2 0 a: turn#1=hold", "--config=c.yaml", "-o", "json"});
  EXPECT_EQ(outcome.code, 12);
  ASSERT_TRUE(outcome.explore);
  EXPECT_EQ(outcome.explore->file, "x.so");
  EXPECT_EQ(outcome.explore->scenario, "s.yaml");
  EXPECT_TRUE(outcome.explore->pairs);
  EXPECT_EQ(outcome.explore->minutes, 5);
  EXPECT_EQ(outcome.explore->replay, "davit-explore/2 0 a: turn#1=hold");
  EXPECT_EQ(outcome.explore->configs, std::vector<std::string>{"c.yaml"});
  EXPECT_EQ(outcome.explore->output, PluginExploreOptions::Output::kJson);
  EXPECT_EQ(call({"plugin", "explore"}).code, 2);
  EXPECT_EQ(call({"plugin", "explore", "x.so", "--minutes=0"}).code, 2);
}

/// A value other than the default that the flag takes.
std::string sample_of(const UpstreamFlag& flag) {
  static const std::map<std::string_view, std::string> kSamples = {
      {"cidr-allocator-type", "RangeAllocator"},
      {"cloud-provider", "external"},
      {"feature-gates", "MaxUnavailableStatefulSet=true"},
      {"kube-api-content-type", "application/json"},
      {"leader-elect-resource-lock", "leases"},
      {"logging-format", "json"},
      {"bind-address", "127.0.0.2"},
      {"leader-elect-lease-duration", "20s"},
      {"leader-elect-retry-period", "3s"},
      {"show-hidden-metrics-for-version", "1.35"},
      {"allow-metric-labels", "m,l=a"},
      {"tls-sni-cert-key", "/a.crt,/a.key"},
      {"vmodule", "informer=4"}};
  if (const auto found = kSamples.find(flag.name); found != kSamples.end()) return found->second;
  switch (flag.kind()) {
    case FlagKind::kBoolean:
      return flag.fallback == "true" ? "false" : "true";
    case FlagKind::kInteger:
      return "7";
    case FlagKind::kNumber:
      return "0.25";
    case FlagKind::kDuration:
      return "9s";
    case FlagKind::kFile:
      return "/etc/file";
    case FlagKind::kText:
    case FlagKind::kList:
      break;
  }
  return "a";
}

/// The text of a manifest that has these values.
std::string manifest_of(const std::vector<ManifestValue>& values) {
  Json root = Json::object({{"apiVersion", kManifestApiVersion}, {"kind", kManifestKind}});
  for (const ManifestValue& each : values) {
    Json* node = &root;
    for (const std::string& key : each.path) node = &(*node)[key];
    *node = each.value;
  }
  return to_text(root);
}

TEST(CommandLineTest, EveryFlagOfKubeControllerManagerIsTakenAndIsWhatTheManifestSays) {
  for (const FlagGroup& group : upstream_flag_groups()) {
    for (const UpstreamFlag& flag : group.flags) {
      if (flag.name == "help" || flag.name == "version") continue;
      const std::string sample = sample_of(flag);
      const Outcome outcome = call({"run", "--" + std::string(flag.name) + "=" + sample});
      ASSERT_TRUE(outcome.run) << flag.name << ": " << outcome.err;
      const RunOptions& options = *outcome.run;
      EXPECT_THAT(options.problems, IsEmpty()) << flag.name;
      if (flag.setting.empty()) continue;

      const Result<Json> value = read_flag(flag, std::vector<std::string>{sample});
      ASSERT_TRUE(value) << flag.name;
      ManifestResult wanted = parse_manifest(manifest_of(manifest_values(flag, *value)), "m.yaml");
      EXPECT_TRUE(wanted.ok()) << flag.name << ": " << wanted.mistakes.front().str();
      Manifest merged = merge({}, options);
      for (const auto& [controller, workers] : options.workers) {
        merged.controller_settings[controller].workers = workers;
      }
      wanted.manifest = merge(std::move(wanted.manifest), {});
      EXPECT_EQ(merged.feature_gates, wanted.manifest.feature_gates) << flag.name;
      EXPECT_THAT(fixed_settings_that_differ(merged, wanted.manifest), IsEmpty()) << flag.name;
      EXPECT_EQ(merged.controllers, wanted.manifest.controllers) << flag.name;
      ASSERT_EQ(merged.controller_settings.size(), wanted.manifest.controller_settings.size());
      for (const auto& [name, settings] : wanted.manifest.controller_settings) {
        const ControllerSettings& other = merged.controller_settings[name];
        EXPECT_EQ(other.config, settings.config) << flag.name;
        EXPECT_EQ(other.workers, settings.workers) << flag.name;
        EXPECT_EQ(other.enabled, settings.enabled) << flag.name;
      }
    }
  }
}

TEST(CommandLineTest, ValuesThatAreNotAllowedAreReportedTogether) {
  const Outcome outcome =
      call({"run", "--leader-elect-resource-lock=endpoints", "--concurrent-job-syncs=0",
            "--cidr-allocator-type=CloudAllocator"});
  ASSERT_TRUE(outcome.run);
  std::string all;
  for (const Mistake& each : merge_settings(*outcome.run).mistakes) all += each.str() + "\n";
  EXPECT_THAT(all, HasSubstr("--leader-elect-resource-lock must be leases"));
  EXPECT_THAT(all, HasSubstr("--concurrent-job-syncs must be from 1 to 1000"));
  EXPECT_THAT(all, HasSubstr("--cidr-allocator-type must be RangeAllocator"));
}

TEST(CommandLineTest, EPH12_EphemeralVolumesNeedAWorker) {
  const Outcome outcome = call({"run", "--concurrent-ephemeralvolume-syncs=0"});
  ASSERT_TRUE(outcome.run);
  const auto mistakes = merge_settings(*outcome.run).mistakes;
  ASSERT_EQ(mistakes.size(), 1U);
  EXPECT_THAT(mistakes.front().str(),
              HasSubstr("--concurrent-ephemeralvolume-syncs must be from 1 to 1000, not \"0\""));
}

TEST(CommandLineTest, CC85_StatusesOfPoliciesNeedAWorker) {
  const Outcome outcome = call({"run", "--concurrent-validating-admission-policy-status-syncs=0"});
  ASSERT_TRUE(outcome.run);
  const auto mistakes = merge_settings(*outcome.run).mistakes;
  ASSERT_EQ(mistakes.size(), 1U);
  EXPECT_THAT(mistakes.front().str(),
              HasSubstr("--concurrent-validating-admission-policy-status-syncs must be from 1 to "
                        "1000, not \"0\""));
}

TEST(CommandLineTest, TheCommandLineOfFromFlagsIsNotDavits) {
  const Outcome outcome =
      call({"manifest", "from-flags", "--", "kube-controller-manager", "--v=2", "--profiling"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verbosity: 2  # --v=2"));
  EXPECT_EQ(call({"manifest", "from-flags"}).code, 2);
}

TEST(CommandLineTest, FromFlagsWritesALeftoverOrADropIn) {
  EXPECT_THAT(
      call({"manifest", "from-flags", "--rest", "--", "--controllers=*,one-of-a-vendor", "--v=2"})
          .out,
      HasSubstr("kube-controller-manager \\\n  --v=2 \\\n  '--controllers=*,one-of-a-vendor,-"));
  EXPECT_THAT(call({"manifest", "from-flags", "--unit", "--", "--root-ca-file=/ca.crt"}).out,
              HasSubstr("LoadCredential=ca.crt:/ca.crt\n"));
  EXPECT_EQ(call({"manifest", "from-flags", "--unit", "--rest", "--", "--v=2"}).code, 2);
}

TEST(CommandLineTest, ActiveKubeControllerManagerIsAllowedByAFlagOnly) {
  EXPECT_FALSE(call({"run"}).run->allow_kube_controller_manager);
  EXPECT_TRUE(call({"run", "--allow-kube-controller-manager"}).run->allow_kube_controller_manager);
}

}  // namespace
}  // namespace davit::host
