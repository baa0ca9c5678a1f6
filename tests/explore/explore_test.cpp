/// The explorer itself, and davit's own controllers in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "lib/base/take_until.hpp"
#include "lib/base/text_file.hpp"
#include "testing/explore/explorer.hpp"
#include "testing/explore/replay.hpp"

namespace davit::explore {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

constexpr std::size_t kScenariosMin = 4;
constexpr std::size_t kPercent = 100;

/// The most runs of a scenario of each set, so that all scenarios together take less than
/// a minute of CPU under ASan. Without it .ci/run plays a half of all runs, and its successor the
/// other.
std::size_t runs_max_of(const std::string& plugin) {
  constexpr std::size_t kFew = 3;  // Runs of controllers that follow each kind take longer.
  constexpr std::size_t kUsual = 6;
  const bool follows_all = plugin == "namespace" || plugin == "garbagecollector";
  return follows_all ? kFew : kUsual;
}

/// Other runs for each commit.
std::uint64_t seed() {
  const char* const given = std::getenv("DAVIT_SYSTEM_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

/// The scenarios of a file, with their plugins open.
class Scenarios {
 public:
  explicit Scenarios(const std::string& name) {
    const fs::path file = fs::path(DAVIT_EXPLORE_SCENARIOS) / (name + ".yaml");
    const Result<std::string> text = read_text_file(file);
    EXPECT_TRUE(text);
    Result<std::vector<Scenario>> read = read_scenarios(*text, file.filename());
    EXPECT_TRUE(read) << read.error().message();
    all_ = std::move(*read);
    std::set<std::string> names;
    for (const Scenario& each : all_) names.insert(each.plugins.begin(), each.plugins.end());
    for (const std::string& each : names) {
      fs::path own = fs::path(DAVIT_EXPLORE_PLUGINS) / (each + ".so");
      const Status s = plugins_.open(
          fs::exists(own) ? std::move(own) : fs::path(DAVIT_PLUGINS) / each / (each + ".so"));
      EXPECT_TRUE(s.ok()) << s.message();
    }
  }

  [[nodiscard]] const std::vector<Scenario>& all() const { return all_; }
  [[nodiscard]] const Scenario& find(const std::string& name) const {
    return *std::ranges::find(all_, name, &Scenario::name);
  }
  [[nodiscard]] Subject subject(const Scenario& scenario) const {
    return *plugins_.subject(scenario);
  }
  [[nodiscard]] RunResult play(const std::string& name, const std::string& plan) const {
    const Scenario& scenario = find(name);
    const Subject of = subject(scenario);
    Explorer explorer(scenario, of, *clock_);
    return explorer.replay(*parse_plan(plan));
  }
  [[nodiscard]] Summary explore(const Scenario& scenario, const ExplorerOptions& options) const {
    const Subject of = subject(scenario);
    return Explorer(scenario, of, *clock_).explore(options);
  }

 private:
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  std::vector<Scenario> all_;
  OpenPlugins plugins_;
};

std::string text_of(const Summary& summary) {
  std::string out;
  for (const Finding& each : summary.findings) {
    out += each.replay + "\n";
    for (const std::string& line : each.story) out += "  " + line + "\n";
  }
  return out;
}

std::vector<std::string> oracles_of(const RunResult& run) {
  std::vector<std::string> out;
  for (const Violation& each : run.violations) out.push_back(each.oracle);
  return out;
}

// ---- The line ----

// The server's reason stands there, and not an exception of the test cluster.
TEST(RunTest, AnObjectThatTheServerRefusesIsAFailureWithItsPlace) {
  const Scenarios scenarios("replicaset");
  const std::pair<const char*, const char*> steps[] = {
      {"add: {kind: Gadget, metadata: {name: a}}", "no such kind"},
      {"add: {apiVersion: a b/v1, kind: Gadget, metadata: {name: a}}", "group"},
      {"create: {kind: Pod, metadata: {name: A_b}}", "metadata.name"},
  };
  for (const auto& [step, why] : steps) {
    for (const char* const when : {"cluster", "steps"}) {
      const std::vector<Scenario> made = *read_scenarios(
          "plugins: [replicaset]\nscenarios:\n- name: a\n  " + std::string(when) + ":\n  - " +
              step + (std::string(when) == "steps" ? "\n" : "\n  steps: [rest]\n"),
          "a.yaml");
      const Summary summary = scenarios.explore(made.front(), {});
      ASSERT_EQ(summary.findings.size(), 1U) << step;
      const Violation& violation = summary.findings.front().violations.front();
      EXPECT_EQ(violation.oracle, "scenario");
      EXPECT_THAT(violation.text, ::testing::StartsWith("a.yaml:5: "));
      EXPECT_THAT(violation.text, HasSubstr(why));
    }
  }
}

TEST(ReplayTest, ALineOfAnotherBuildIsRefused) {
  const Scenarios scenarios("replicaset");
  const Scenario& scenario = scenarios.find("rs-create");
  Subject subject = scenarios.subject(scenario);
  const Plan plan = {{Point::kRequest, 1, Choice::kCrashAfter}};
  const std::string line = replay_line(scenario, subject, plan);
  EXPECT_EQ(*replayed_plan(line, scenario, subject), plan);
  EXPECT_EQ(*replayed_scenario(line), "rs-create");
  subject.digest = "another";
  EXPECT_THAT(replayed_plan(line, scenario, subject).error().message(),
              HasSubstr("of another build"));
}

TEST(ReplayTest, AStoryHasTheFirstAndTheLastOfManySteps) {
  constexpr int kSteps = 100;
  RunResult run;
  for (int i = 0; i < kSteps; ++i) run.log.push_back("= add ConfigMap/c" + std::to_string(i));
  run.log.insert(run.log.end(), {"A sync of a", "* request#1=conflict: the response is 409"});
  EXPECT_THAT(
      story_of(run),
      ::testing::ElementsAre("= add ConfigMap/c0", "= add ConfigMap/c1", "= add ConfigMap/c2", "…",
                             "= add ConfigMap/c97", "= add ConfigMap/c98", "= add ConfigMap/c99",
                             "A sync of a", "* request#1=conflict: the response is 409"));
}

// ---- The runs ----

/// DAVIT_EXPLORE_REPEATS=1000 has it played so many times.
TEST(RunTest, OneLineGivesTheSameBytesEachTime) {
  const Scenarios scenarios("replicaset");
  const std::string plan = "request#2=takeover-after@1, turn#4=swap";
  const RunResult first = scenarios.play("rs-create", plan);
  EXPECT_THAT(first.log, ::testing::Contains(HasSubstr("B leads")));
  constexpr int kUsual = 50;
  const char* const given = std::getenv("DAVIT_EXPLORE_REPEATS");
  const int repeats = given == nullptr ? kUsual : std::atoi(given);
  for (int i = 0; i < repeats; ++i) {
    ASSERT_EQ(scenarios.play("rs-create", plan).log, first.log) << "run " << i;
  }
}

TEST(RunTest, AStandbyThatLacksTheLastChangeMakesNoPodTwice) {
  const Scenarios scenarios("replicaset");
  const RunResult run = scenarios.play("rs-create", "request#1=takeover-after@1");
  EXPECT_THAT(run.log, ::testing::Contains(HasSubstr("the caches of B lack the last 1 changes")));
  EXPECT_THAT(oracles_of(run), IsEmpty());
}

TEST(RunTest, AStandbyWhoseCacheOfOneResourceIsOldMakesNoPodTwice) {
  const Scenarios scenarios("replicaset");
  for (const char* const plan :
       {"request#2=takeover-after@2:pods", "request#2=takeover-after@1:replicasets.apps"}) {
    const RunResult run = scenarios.play("rs-create", plan);
    EXPECT_THAT(run.log, ::testing::Contains(HasSubstr("the caches of B lack the last")));
    EXPECT_THAT(oracles_of(run), IsEmpty()) << plan;
  }
}

// The first sync makes three pods, of which the cache shows one.
TEST(RunTest, ACacheThatStopsInTheMiddleOfASyncCatchesUpWhenNothingElseIsLeftToDo) {
  const Scenarios scenarios("replicaset");
  for (const char* const plan : {"turn#2=hold@2:pods", "turn#2=late@2:pods", "turn#2=swap@2:pods",
                                 "turn#2=enable@2:pods", "turn#2=swap@2"}) {
    const RunResult run = scenarios.play("rs-create", plan);
    const auto at = [&run](const std::string& text) {
      return std::ranges::find_if(run.log,
                                  [&](const auto& each) { return each.starts_with(text); });
    };
    EXPECT_LT(at("* " + std::string(plan)), at("  the caches of A see everything")) << plan;
    EXPECT_LT(at("  the caches of A see everything"), run.log.end()) << plan;
    EXPECT_THAT(oracles_of(run), IsEmpty()) << plan;
  }
}

TEST(RunTest, AChoiceForATurnThatOldCachesPreventIsMadeBeforeTheyCatchUp) {
  const Scenarios scenarios("replicaset");
  const RunResult undisturbed = scenarios.play("rs-create", "undisturbed");
  int turns = 0;
  for (const PassedPoint& each : undisturbed.points) turns += each.point == Point::kTurn ? 1 : 0;
  const std::string plan = "turn#" + std::to_string(turns + 1) + "=swap@1";
  const RunResult run = scenarios.play("rs-create", plan);
  EXPECT_THAT(run.log, ::testing::Contains(::testing::StartsWith("* " + plan)));
  EXPECT_THAT(run.log, ::testing::Contains("  the caches of A see everything"));
  EXPECT_THAT(oracles_of(run), IsEmpty());
}

TEST(RunTest, AResourceOfAPlanThatNoCacheShowsIsAMistake) {
  const Scenarios scenarios("replicaset");
  for (const char* const plan : {"turn#1=hold:podz", "request#1=crash-after@1:nodes"}) {
    const RunResult run = scenarios.play("rs-create", plan);
    ASSERT_THAT(oracles_of(run), ::testing::ElementsAre("scenario")) << plan;
    EXPECT_THAT(run.violations.front().text, HasSubstr("only of pods, replicasets.apps")) << plan;
  }
}

TEST(RunTest, AVerificationThatTheServersCacheDoesNotShowIsFollowedByAList) {
  const Scenarios scenarios("replicaset");
  EXPECT_THAT(oracles_of(scenarios.play("rs-change", "request#4=takeover-after@1")), IsEmpty());
}

TEST(RunTest, AProcessThatStoodStillWhileAnotherLedWritesNothing) {
  const Scenarios scenarios("replicaset");
  const RunResult run = scenarios.play("rs-create", "request#1=suspend");
  EXPECT_THAT(run.log, ::testing::Contains("A sends nothing: the lease was lost"));
  EXPECT_THAT(oracles_of(run), IsEmpty());
}

TEST(RunTest, ALostResponseMakesNoPodTwice) {
  const Scenarios scenarios("replicaset");
  EXPECT_THAT(oracles_of(scenarios.play("rs-create", "request#1=lost-response")), IsEmpty());
}

TEST(RunTest, ALostResponseMakesNoPodTwiceWhileTheCachesDoNotShowThePod) {
  const Scenarios scenarios("replicaset");
  for (const char* const plan : {"request#1=lost-response@1", "request#1=error-after@1"}) {
    const RunResult run = scenarios.play("rs-create", plan);
    EXPECT_THAT(run.log, ::testing::Contains("  the caches of A see everything"));
    EXPECT_THAT(oracles_of(run), IsEmpty()) << plan;
  }
}

TEST(RunTest, ASyncBeforeTheChangesOfTheLastOneMakesNoPodTwice) {
  const Scenarios scenarios("replicaset");
  const RunResult run = scenarios.play("rs-change", "turn#1=late");
  EXPECT_THAT(run.log, ::testing::Contains("  the caches of A see everything"));
  EXPECT_THAT(oracles_of(run), IsEmpty());
}

TEST(RunTest, ControllersThatAreDisabledAcrossAChangeMakeUpForIt) {
  const Scenarios scenarios("replicaset");
  for (const char* const plan : {"turn#2=disable", "turn#2=unload"}) {
    const RunResult run = scenarios.play("rs-change", plan);
    const auto at = [&run](const char* line) { return std::ranges::find(run.log, line); };
    EXPECT_LT(at("= patch pods app=web"), at("  the controllers of A begin again")) << plan;
    EXPECT_LT(at("  the controllers of A begin again"), run.log.end()) << plan;
    EXPECT_THAT(oracles_of(run), IsEmpty()) << plan;
  }
}

TEST(RunTest, AServerThatWasRestoredToAnOlderStateGetsThePodsThatItLost) {
  const Scenarios scenarios("replicaset");
  const RunResult run = scenarios.play("rs-create", "turn#2=restore@3");
  EXPECT_THAT(run.log, ::testing::Contains("  the server is at version 10 again"));
  EXPECT_THAT(oracles_of(run), IsEmpty());
}

TEST(RunTest, AClaimWhoseBindingARestoredServerHasLostIsNotExpandedWithoutAVolume) {
  const Scenarios scenarios("volumebinder");
  EXPECT_THAT(oracles_of(scenarios.play("pv-reserved", "turn#21=restore@5")), IsEmpty());
}

// Without it a Job that has lost its last status is never completed.
TEST(RunTest, AProcessThatSeesARestoredServerEndsAndAnotherOneTakesOver) {
  const Scenarios scenarios("job");
  const RunResult run = scenarios.play("job-finish", "turn#2=restore@1");
  const auto at = [&run](const char* line) { return std::ranges::find(run.log, line); };
  EXPECT_LT(at("  A ends"), at("  B leads"));
  EXPECT_LT(at("  B leads"), run.log.end());
  EXPECT_THAT(oracles_of(run), IsEmpty());
}

TEST(RunTest, NewsOfOneResourceAloneMakesNoPodTwice) {
  const Scenarios scenarios("replicaset");
  for (const char* const plan : {"turn#1=only:pods", "turn#1=only:replicasets.apps"}) {
    const RunResult run = scenarios.play("rs-change", plan);
    EXPECT_THAT(run.log, ::testing::Contains("  the caches of A see everything")) << plan;
    EXPECT_THAT(oracles_of(run), IsEmpty()) << plan;
  }
}

TEST(RunTest, SharesTogetherAreAllRuns) {
  const Scenarios scenarios("ttl");
  ExplorerOptions options;
  options.shares = 3;
  const Scenario& scenario = scenarios.all().front();
  constexpr std::size_t kUndisturbed = 2;
  std::size_t runs = 0;
  std::size_t possible = 0;
  for (options.share = 0; options.share < options.shares; ++options.share) {
    const Summary summary = scenarios.explore(scenario, options);
    runs += summary.runs - kUndisturbed;
    possible = summary.possible - kUndisturbed;
  }
  EXPECT_EQ(runs, possible);
}

TEST(RunTest, PairsLeaveOutStatesThatARunHasMet) {
  const Scenarios scenarios("ttl");
  ExplorerOptions options;
  options.stale = false;
  options.choices = {Choice::kLostResponse, Choice::kCrashAfter};
  const Scenario& scenario = scenarios.all().front();
  const Summary singles = scenarios.explore(scenario, options);
  options.pairs = true;
  const Summary pairs = scenarios.explore(scenario, options);
  EXPECT_GT(pairs.runs, singles.runs);
  EXPECT_GT(pairs.cut, 0U);
  EXPECT_GE(pairs.states, singles.states);
  EXPECT_EQ(pairs.failures, 0U) << text_of(pairs);
}

TEST(RunTest, PairsFollowCachesFromWhereTheyStopAndNotFromTheirTurn) {
  const Scenarios scenarios("replicaset");
  ExplorerOptions options;
  options.singles = false;
  options.choices = {Choice::kEnable};
  options.pairs = true;
  std::size_t pairs = 0;
  options.before_run = [&](const Plan& plan) {
    const bool is_pair = plan.size() == 2 && plan.back().point == Point::kTurn;
    pairs += is_pair && plan.back().number < plan.front().number ? 1 : 0;
  };
  const Summary summary = scenarios.explore(scenarios.find("rs-create"), options);
  EXPECT_EQ(summary.failures, 0U) << text_of(summary);
  EXPECT_GT(pairs, 0U);
}

TEST(RunTest, WalksAlsoStopCaches) {
  const Scenarios scenarios("ttl");
  ExplorerOptions options;
  options.singles = options.stale = false;
  options.walks = 50;
  std::size_t stops = 0;
  options.before_run = [&](const Plan& plan) {
    stops += std::ranges::any_of(plan, stops_caches) ? 1 : 0;
  };
  const Summary summary = scenarios.explore(scenarios.all().front(), options);
  EXPECT_EQ(summary.failures, 0U) << text_of(summary);
  EXPECT_GT(stops, 0U);
}

TEST(RunTest, AWalkIsTheSameForTheSameSeed) {
  const Scenarios scenarios("ttl");
  const auto walk = [&](std::uint64_t seed) {
    std::vector<std::string> plans;
    ExplorerOptions options;
    options.singles = options.stale = false;
    options.walks = 5;
    options.seed = seed;
    options.before_run = [&plans](const Plan& plan) { plans.push_back(to_text(plan)); };
    EXPECT_EQ(scenarios.explore(scenarios.all().front(), options).failures, 0U);
    return plans;
  };
  constexpr std::size_t kRuns = 7;  // Two of them are undisturbed.
  EXPECT_EQ(walk(1).size(), kRuns);
  EXPECT_EQ(walk(1), walk(1));
  EXPECT_NE(walk(1), walk(2));
}

TEST(RunTest, WhatWasReadAtTheSameTimeDoesNotProveACacheOfAControllerThatIsEnabled) {
  const Scenarios scenarios("volumebinder");
  const RunResult run = scenarios.play("pv-pairs", "request#1=lost-response@1, turn#3=enable");
  EXPECT_THAT(run.log,
              ::testing::Contains("* turn#3=enable: each controller is disabled and enabled"));
  EXPECT_THAT(oracles_of(run), IsEmpty());
}

TEST(RunTest, AScenarioThatCannotBePlayedIsAFailure) {
  const Scenarios scenarios("replicaset");
  const std::vector<Scenario> made = *read_scenarios(
      "plugins: [replicaset]\nscenarios:\n- name: a\n  steps: [delete: pod/none]\n", "a");
  const Summary summary = scenarios.explore(made.front(), {});
  EXPECT_EQ(summary.failures, 1U);
  EXPECT_EQ(summary.findings.front().violations.front().oracle, "scenario");
}

TEST(RunTest, AWriteOfWhatTheScenarioKeepsIsAViolation) {
  const Scenarios scenarios("replicaset");
  Scenario scenario = scenarios.find("rs-create");
  scenario.kept.push_back({"replicasets", "", "web", {}});
  const Subject subject = scenarios.subject(scenario);
  EXPECT_THAT(oracles_of(play(scenario, subject, {}, nullptr)), ::testing::Contains("kept"));
}

TEST(RunTest, AnObjectOfAnotherKindIsNotTakenForAnOwner) {
  const Scenarios scenarios("garbagecollector");
  const Scenario& scenario = scenarios.find("gc-absent-owner");
  ExplorerOptions options;
  options.stale = false;
  options.choices = {Choice::kEmptyBody, Choice::kStatusBody, Choice::kOtherKind,
                     Choice::kNoMetadata, Choice::kTruncated};
  const Summary summary = scenarios.explore(scenario, options);
  EXPECT_EQ(summary.runs, summary.possible);
  EXPECT_EQ(summary.failures, 0U) << text_of(summary);
}

TEST(RunTest, ADiscoveryThatLacksTheCoreGroupDeletesNothing) {
  const Scenarios scenarios("garbagecollector");
  ExplorerOptions options;
  options.stale = false;
  options.choices = choices_at(Point::kDiscovery);
  const Summary summary = scenarios.explore(scenarios.find("gc-absent-owner"), options);
  EXPECT_EQ(summary.failures, 0U) << text_of(summary);
}

TEST(RunTest, AForgedOwnerReferenceOfAnotherNamespaceChangesNothing) {
  const Scenarios scenarios("cronjob");
  const RunResult run = scenarios.play("cron-forged-owner", "undisturbed");
  EXPECT_THAT(oracles_of(run), IsEmpty());
  for (const std::string& each : run.log)
    EXPECT_THAT(each, ::testing::Not(HasSubstr("jobs/forged")));
}

// ---- davit's own controllers ----

/// The names of the files of scenarios, which are those of the plugins.
std::vector<std::string> explored_plugins() {
  std::vector<std::string> out;
  for (const auto& each : fs::directory_iterator(DAVIT_EXPLORE_SCENARIOS)) {
    out.push_back(each.path().stem());
  }
  std::ranges::sort(out);
  return out;
}

std::string name_of(const ::testing::TestParamInfo<std::string>& plugin) { return plugin.param; }

class OwnControllersTest : public ::testing::TestWithParam<std::string> {};

TEST_P(OwnControllersTest, NoSingleFaultAndNoStaleCacheShows) {
  const Scenarios scenarios(GetParam());
  ExplorerOptions options;
  options.runs_max = runs_max_of(GetParam());
  options.seed = seed();
  std::size_t runs = 0;
  std::size_t possible = 0;
  for (const Scenario& each : scenarios.all()) {
    const Summary summary = scenarios.explore(each, options);
    EXPECT_EQ(summary.failures, 0U) << text_of(summary);
    runs += summary.runs;
    possible += summary.possible;
  }
  std::printf("%s: %zu of %zu runs, %zu %%\n", GetParam().c_str(), runs, possible,
              runs * kPercent / possible);
}

INSTANTIATE_TEST_SUITE_P(Plugins, OwnControllersTest, ::testing::ValuesIn(explored_plugins()),
                         name_of);

TEST(OwnScenariosTest, EachShippedPluginHasFourOrMore) {
  for (const auto& each : fs::directory_iterator(DAVIT_SOURCES "/plugins")) {
    if (!fs::exists(each.path() / "plugin.cpp")) continue;
    const Result<std::string> text = read_text_file(fs::path(DAVIT_EXPLORE_SCENARIOS) /
                                                    (each.path().filename().string() + ".yaml"));
    ASSERT_TRUE(text) << each.path() << " has no scenarios";
    EXPECT_GE(read_scenarios(*text, each.path())->size(), kScenariosMin) << each.path();
  }
}

TEST(OwnScenariosTest, ThePageHasARowForEachPluginWithTheNumberOfItsScenarios) {
  const std::string page = *read_text_file(DAVIT_SOURCES "/docs/EXPLORER.md");
  for (const std::string& each : explored_plugins()) {
    const std::string file = *read_text_file(fs::path(DAVIT_EXPLORE_SCENARIOS) / (each + ".yaml"));
    const std::size_t count = read_scenarios(file, each)->size();
    const std::string row = "\n| " + each + " | " + std::to_string(count) + " |";
    EXPECT_NE(page.find(row), std::string::npos)
        << each << " has " << count << " scenarios; "
        << "scripts/explore --table " << each << ".yaml prints the row";
  }
}

// ---- Guards that the explorer misses by itself ----

#ifdef DAVIT_MUTANTS

/// A row of the last table of tests/mutants/README.md.
struct ExploredMutant {
  std::string name;
  std::string plugin;
  std::string scenario;
  std::string oracle;
};

std::vector<ExploredMutant> explored_mutants() {
  const std::string page = *read_text_file(DAVIT_SOURCES "/tests/mutants/README.md");
  const std::string head = "\n| guard | scenario | oracle |\n| --- | --- | --- |\n";
  std::string_view rest = page;
  rest.remove_prefix(page.find(head) + head.size());
  std::vector<ExploredMutant> out;
  while (rest.starts_with("| ")) {
    std::string_view row = take_until(rest, "\n").substr(2);
    ExploredMutant mutant;
    mutant.name = take_until(row, " | ");
    mutant.plugin = take_until(row, " ");
    mutant.scenario = take_until(row, " | ");
    mutant.oracle = take_until(row, " |");
    out.push_back(std::move(mutant));
  }
  return out;
}

/// For a failure's text.
void PrintTo(const ExploredMutant& mutant, std::ostream* out) { *out << mutant.name; }

class ExploredMutantTest : public ::testing::TestWithParam<ExploredMutant> {};

TEST_P(ExploredMutantTest, IsFoundByTheSetsOfTheExplorerAlone) {
  const Scenarios scenarios(GetParam().plugin);
  ExplorerOptions options;
  options.failures_max = 1;
  ASSERT_EQ(setenv("DAVIT_MUTANT", GetParam().name.c_str(), 1), 0);
  const Summary summary = scenarios.explore(scenarios.find(GetParam().scenario), options);
  unsetenv("DAVIT_MUTANT");
  ASSERT_EQ(summary.findings.size(), 1U) << "the guard is off, and nothing shows it";
  EXPECT_EQ(summary.findings.front().violations.front().oracle, GetParam().oracle);
}

TEST(ExploredMutantsTest, ThePageHasThem) {
  EXPECT_THAT(explored_mutants(), ::testing::Not(::testing::IsEmpty()));
}

INSTANTIATE_TEST_SUITE_P(Guards, ExploredMutantTest, ::testing::ValuesIn(explored_mutants()),
                         [](const auto& each) {
                           std::string name = each.param.name;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '+'; }, '_');
                           return name;
                         });

#endif

}  // namespace
}  // namespace davit::explore
