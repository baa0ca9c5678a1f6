#include "cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace davit::host {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

/// The result of one command line.
struct Outcome {
  int code = -1;
  std::optional<RunOptions> run;
  std::optional<SandboxOptions> sandbox;
  std::optional<DemoOptions> demo;
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
  outcome.code = run_command_line(args, {run, sandbox, demo, validate, dev}, out, err);
  outcome.out = out.str();
  outcome.err = err.str();
  return outcome;
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
                                "--bind-address=0.0.0.0",
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
  EXPECT_EQ(options.bind_address, "0.0.0.0");
  EXPECT_EQ(options.port, 0);
  EXPECT_EQ(options.verbosity, 4);
  EXPECT_EQ(options.log_format, LogFormat::kJson);
  EXPECT_EQ(options.dry_run, true);
  EXPECT_THAT(options.plugin_directories, ElementsAre("a", "b"));
  EXPECT_THAT(options.workers, ElementsAre(Pair("deployment-controller", 8U),
                                           Pair("garbage-collector-controller", 1U), Pair("x", 3U),
                                           Pair("y", 4U), Pair("z", 5U)));
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
      {{"run", "--kube-api-qps=fast"}, "--kube-api-qps: Value fast not in range 0"},
      {{"run", "--kube-api-burst=0"}, "--kube-api-burst: Value 0 not in range 1 to 1000000"},
      {{"run", "--kube-api-content-type=text/html"},
       "--kube-api-content-type: text/html not in {application/vnd.kubernetes.protobuf,"},
      {{"run", "--port=65536"}, "--port: Value 65536 not in range 0 to 65535"},
      {{"run", "--leader-elect-lease-duration=5"},
       "--leader-elect-lease-duration: must be a duration"},
      {{"run", "--leader-elect-lease-duration=5ms"},
       "--leader-elect-lease-duration: must be a duration"},
      {{"run", "--leader-elect-resource-lock=endpoints"},
       "--leader-elect-resource-lock: resourceLock value must be \"leases\""},
      {{"run", "--workers=x"}, "--workers: must be CONTROLLER=NUMBER, not \"x\""},
      {{"run", "--workers=x=0"}, "--workers: must be a whole number from 1 to 1000, not \"0\""},
      {{"run", "--concurrent-replicaset-syncs=a"},
       "--concurrent-replicaset-syncs: must be a whole number from 1 to 1000, not \"a\""},
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

}  // namespace
}  // namespace davit::host
