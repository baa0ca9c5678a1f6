// `davit plugin explore` on a controller with a fault of each kind, and on the same without.
#include "cli/explore_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>

#include "host/process/exit_codes.hpp"
#include "lib/kube/json.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

Outcome explore(const PluginExploreOptions& options) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_plugin_explore(options, out, err);
  return {code, out.str(), err.str()};
}

PluginExploreOptions desk(const char* plugin = DAVIT_DESK) {
  PluginExploreOptions options;
  options.file = plugin;
  options.scenario = DAVIT_DESK_SCENARIOS;
  options.minutes = 10;  // Far more than it takes under a sanitizer.
  return options;
}

/// The largest scenario of the desk has 89 runs.
constexpr std::int64_t kRunsMax = 100;

/// The findings of the desk, by scenario; played once.
const std::map<std::string, Json>& findings() {
  static const std::map<std::string, Json> found = [] {
    PluginExploreOptions options = desk();
    options.output = PluginExploreOptions::Output::kJson;
    const Outcome outcome = explore(options);
    EXPECT_EQ(outcome.code, kExitFailed) << outcome.out << outcome.err;
    std::map<std::string, Json> out;
    const Json report = json_literal(outcome.out);
    for (const Json& each : report.get("scenarios").items()) {
      const std::int64_t runs = each.get("runs").integer_or(0);
      EXPECT_EQ(runs, each.get("possible").integer_or(0)) << "each run was made";
      EXPECT_LE(runs, kRunsMax);
      out[each.get("name").text()] = each.get("findings");
    }
    return out;
  }();
  return found;
}

std::vector<std::string> summaries(const std::string& scenario) {
  std::vector<std::string> out;
  for (const Json& each : findings().at(scenario).items())
    out.push_back(each.get("summary").text());
  return out;
}

TEST(ExploreCommandTest, AResponseThatIsLostMakesTheCarelessDeskActTwice) {
  EXPECT_THAT(summaries("order"),
              testing::Contains("acts again when the response to a write is lost"));
}

TEST(ExploreCommandTest, AStopBetweenTwoWritesLosesTheWorkOfTheCarelessDesk) {
  EXPECT_THAT(summaries("invoice"),
              testing::Contains("loses work, or does it again, when it stops in between"));
}

TEST(ExploreCommandTest, AnOldCacheMakesTheCarelessDeskDeleteWhatItsOwnerKeeps) {
  EXPECT_THAT(summaries("draft"), testing::Contains("acts on a cache that is old"));
}

TEST(ExploreCommandTest, EachFindingIsShortAndItsLineReplaysIt) {
  for (const auto& [scenario, list] : findings()) {
    for (const Json& each : list.items()) {
      EXPECT_LE(each.get("decisions").size(), 6U);
      PluginExploreOptions options = desk();
      options.replay = each.get("replay").text();
      const Outcome once = explore(options);
      EXPECT_EQ(once.code, kExitFailed) << once.err;
      EXPECT_THAT(once.out, HasSubstr(each.get("violations").items()[0].get("text").text()));
    }
  }
}

TEST(ExploreCommandTest, TheSameLineGivesTheSameLog) {
  PluginExploreOptions options = desk();
  options.replay = findings().at("draft").items()[0].get("replay").text();
  EXPECT_EQ(explore(options).out, explore(options).out);
}

TEST(ExploreCommandTest, NothingIsFoundAtTheCarefulDesk) {
  const Outcome outcome = explore(desk(DAVIT_CAREFUL_DESK));
  EXPECT_EQ(outcome.code, kExitGood) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("desk 0.1.0: nothing found"));
}

TEST(ExploreCommandTest, FindingsArePrintedWithTheirStoryAndTheCommandThatReplaysThem) {
  const TempDirectory directory;
  PluginExploreOptions options = desk();
  options.scenario = directory.write("one.yaml", R"(scenarios:
- name: invoice
  steps:
  - create: {kind: ConfigMap, metadata: {name: b, labels: {desk: invoice}}}
  - rest
)");
  const Outcome outcome = explore(options);
  EXPECT_EQ(outcome.code, kExitFailed);
  EXPECT_THAT(outcome.out, HasSubstr("failed  invoice: "));
  EXPECT_THAT(outcome.out, HasSubstr("| * request#1=crash-after: the process ends after "));
  EXPECT_THAT(outcome.out, HasSubstr("again: davit plugin explore '" DAVIT_DESK "' --scenario '" +
                                     options.scenario + "' --replay 'davit-explore/2 "));
}

TEST(ExploreCommandTest, WithoutAScenarioOneIsMadeOfWhatThePluginWatches) {
  PluginExploreOptions options;
  options.file = DAVIT_GREETER_PLUGIN;
  options.minutes = 10;
  const Outcome outcome = explore(options);
  EXPECT_EQ(outcome.code, kExitGood) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("passed  made: "));
}

TEST(ExploreCommandTest, AControllerThatDoesNotStartIsReportedWithItsReason) {
  PluginExploreOptions options;
  options.file = DAVIT_DNS_RECORDS_PLUGIN;
  const Outcome outcome = explore(options);
  EXPECT_EQ(outcome.code, kExitFailed);
  EXPECT_THAT(outcome.out, HasSubstr("start: dns-records-controller does not start: "));
}

TEST(ExploreCommandTest, AControllerThatDoesNothingIsNotCalledFine) {
  const TempDirectory directory;
  PluginExploreOptions options = desk();
  options.scenario = directory.write("idle.yaml", "scenarios:\n- name: idle\n  steps: [rest]\n");
  const Outcome outcome = explore(options);
  EXPECT_EQ(outcome.code, kExitMistakes);
  EXPECT_THAT(outcome.err, HasSubstr("no controller does anything; give what they need with "));
}

TEST(ExploreCommandTest, ALineOfAnotherBuildIsRefused) {
  PluginExploreOptions options = desk(DAVIT_CAREFUL_DESK);
  options.replay = findings().at("invoice").items()[0].get("replay").text();
  const Outcome outcome = explore(options);
  EXPECT_EQ(outcome.code, kExitMistakes);
  EXPECT_THAT(outcome.err, HasSubstr("the line is of another build"));
}

/// The options for a plugin and a scenario.
PluginExploreOptions played(const std::string& plugin, const std::string& steps,
                            const TempDirectory& directory) {
  PluginExploreOptions options = desk(plugin.c_str());
  options.scenario = directory.write("one.yaml", "scenarios:\n- name: one\n  steps:\n" + steps);
  return options;
}

TEST(ExploreCommandTest, NothingIsFoundAtAPluginInC) {
  const TempDirectory directory;
  const Outcome outcome = explore(played(DAVIT_JANITOR_PLUGIN, R"(
  - add:
      kind: Pod
      metadata: {name: done, annotations: {janitor.davit.dev/ttl: 1m}}
      spec: {containers: [{name: a, image: a}]}
      status:
        phase: Succeeded
        containerStatuses: [{name: a, state: {terminated: {finishedAt: "2024-05-01T12:00:00Z"}}}]
  - pass: 120
  - rest
)",
                                         directory));
  EXPECT_EQ(outcome.code, kExitGood) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("janitor 0.1.0: nothing found"));
}

TEST(ExploreCommandTest, NothingIsFoundAtAPluginInRust) {
  const TempDirectory directory;
  const Outcome outcome = explore(played(DAVIT_CONFIG_MIRROR_PLUGIN, R"(
  - create: {kind: Namespace, metadata: {name: team-a}}
  - create:
      kind: ConfigMap
      metadata: {name: source, annotations: {config-mirror.davit.dev/to: team-a}}
      data: {a: b}
  - rest
  - patch: configmap/source
    with: {data: {a: c}}
  - rest
)",
                                         directory));
  EXPECT_EQ(outcome.code, kExitGood) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(": nothing found"));
}

/// Far more than a run of 2,000 syncs takes under a sanitizer.
constexpr std::chrono::seconds kLong{300};

/// A build of odd.cpp, with one ConfigMap.
Outcome explore_odd(const std::string& build, std::chrono::seconds run_limit) {
  const TempDirectory directory;
  PluginExploreOptions options =
      played(DAVIT_ODD "/" + build + ".so",
             "  - create: {kind: ConfigMap, metadata: {name: a}}\n  - rest\n", directory);
  options.run_limit = run_limit;
  return explore(options);
}

TEST(ExploreCommandTest, WhatAControllerWritesByChanceIsReportedWithTheFirstDifference) {
  const Outcome outcome = explore_odd("odd_chance", kLong);
  EXPECT_EQ(outcome.code, kExitFailed) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("not-deterministic: "));
  EXPECT_THAT(outcome.out, HasSubstr(R"("mark":"m)"));
}

TEST(ExploreCommandTest, TheMachinesClockInAWriteIsReportedWithTheFirstDifference) {
  const Outcome outcome = explore_odd("odd_wall", kLong);
  EXPECT_EQ(outcome.code, kExitFailed) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("not-deterministic: "));
  EXPECT_THAT(outcome.out, HasSubstr(R"("mark":"m)"));
}

TEST(ExploreCommandTest, AControllerThatWritesInALoopIsReported) {
  const Outcome outcome = explore_odd("odd_loops", kLong);
  EXPECT_EQ(outcome.code, kExitFailed) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("never-idle: the controllers still work after 2000 syncs"));
}

TEST(ExploreCommandTest, AControllerThatSyncsForEverIsReported) {
  const Outcome outcome = explore_odd("odd_hurry", kLong);
  EXPECT_EQ(outcome.code, kExitFailed) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("never-idle: the controllers still work after 2000 syncs"));
}

TEST(ExploreCommandTest, ACallThatWritesInALoopIsReported) {
  const Outcome outcome = explore_odd("odd_floods", kLong);
  EXPECT_EQ(outcome.code, kExitFailed) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("requests: the controllers send 5000 requests, and more"));
}

TEST(ExploreCommandTest, AStormOfRequestsAfterAFaultIsReported) {
  const Outcome outcome = explore_odd("odd_storms", kLong);
  EXPECT_EQ(outcome.code, kExitFailed) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("requests: the controllers send "));
  EXPECT_THAT(outcome.out, HasSubstr(" requests, and 1 in the undisturbed run"));
}

TEST(ExploreCommandTest, ARequestThatIsNotDeclaredIsReported) {
  const Outcome outcome = explore_odd("odd_oversteps", kLong);
  EXPECT_EQ(outcome.code, kExitFailed) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("misuse: odd-controller: the plugin declares no rule for delete of "));
}

TEST(ExploreCommandTest, AControllerMayHoldAHundredThousandObjects) {
  const Outcome outcome = explore_odd("odd_holds", kLong);
  EXPECT_EQ(outcome.code, kExitGood) << outcome.out << outcome.err;
}

/// Objects that are there before the controllers start.
std::string scenario_of_many(int objects) {
  std::string out = "scenarios:\n- name: many\n  cluster:\n";
  for (int i = 0; i < objects; ++i) {
    out += "  - add: {kind: ConfigMap, metadata: {name: c" + std::to_string(i) + "}}\n";
  }
  return out +
         "  steps:\n"
         "  - create: {kind: ConfigMap, metadata: {name: a, labels: {desk: order}}}\n"
         "  - rest\n";
}

TEST(ExploreCommandTest, ManySyncsOfManyObjectsAreNotCalledEndless) {
  const TempDirectory directory;
  PluginExploreOptions options = desk(DAVIT_CAREFUL_DESK);
  options.run_limit = kLong;
  options.minutes = 0;  // The undisturbed runs, and one more.
  options.scenario = directory.write("many.yaml", scenario_of_many(1'100));
  const Outcome outcome = explore(options);
  EXPECT_EQ(outcome.code, kExitGood) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("passed  many: 3 runs of "));
}

TEST(ExploreCommandTest, AFileOfAHundredThousandObjectsIsRefusedWithItsLine) {
  constexpr int kObjects = 100'000;
  const TempDirectory directory;
  PluginExploreOptions options = desk(DAVIT_CAREFUL_DESK);
  options.scenario = directory.write("many.yaml", scenario_of_many(kObjects));
  const Outcome outcome = explore(options);
  EXPECT_EQ(outcome.code, kExitMistakes) << outcome.out;
  EXPECT_THAT(outcome.err, testing::ContainsRegex("many.yaml:[0-9]+:[0-9]+: more than 200000 "));
}

TEST(ExploreCommandTest, AnObjectThatTheServerRefusesIsReportedWithItsPlace) {
  const TempDirectory directory;
  const Outcome outcome = explore(played(
      DAVIT_CAREFUL_DESK, "  - add: {kind: Gadget, metadata: {name: a}}\n  - rest\n", directory));
  EXPECT_EQ(outcome.code, kExitFailed) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("one.yaml:4: add Gadget/a: no such kind: "));
}

TEST(ExploreCommandTest, ACrashIsReportedWithTheLineOfItsRun) {
  const Outcome outcome = explore_odd("odd_aborts", kLong);
  EXPECT_EQ(outcome.code, kExitFailed) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("SIGABRT (davit-explore/2 "));
}

TEST(ExploreCommandTest, AFailureThatDoesNotRepeatIsReportedAsItWas) {
  const Outcome outcome = explore_odd("odd_once", kLong);
  EXPECT_EQ(outcome.code, kExitFailed) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("end: "));
  EXPECT_THAT(outcome.out, HasSubstr("! played again, it has not failed"));
}

TEST(ExploreCommandTest, AKeyThatIsLostIsReported) {
  const Outcome outcome = explore_odd("odd_forgets", kLong);
  EXPECT_EQ(outcome.code, kExitFailed) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("resync: a resync of all keys leads to 1 changes: a key was "));
}

TEST(ExploreCommandTest, ACallThatDoesNotReturnIsReportedWithTheLineOfItsRun) {
  const Outcome outcome = explore_odd("odd_blocks", std::chrono::seconds(5));
  EXPECT_EQ(outcome.code, kExitFailed) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("a call of the plugin does not return (davit-explore/2 "));
}

TEST(ExploreCommandTest, MistakesAreNamedWithTheirPlace) {
  const TempDirectory directory;
  PluginExploreOptions options = desk();
  options.scenario = directory.write("odd.yaml", "scenarios:\n- name: a\n  steps:\n  - jump: 3\n");
  EXPECT_THAT(explore(options).err,
              HasSubstr("odd.yaml:4: a step is rest or collect, or begins with"));
  options.scenario = (directory.path() / "none.yaml").string();
  EXPECT_THAT(explore(options).err, HasSubstr("none.yaml"));
  options = desk("/nowhere/desk.so");
  EXPECT_THAT(explore(options).err, StartsWith("davit: plugin /nowhere/desk.so"));
  options = desk();
  options.replay = "again, please";
  EXPECT_THAT(explore(options).err, HasSubstr("a line to replay begins with davit-explore/2"));
  EXPECT_EQ(explore(options).code, kExitMistakes);
}

}  // namespace
}  // namespace davit::host
