/// The explorer itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "testing/explore/explorer.hpp"
#include "testing/explore/replay.hpp"
#include "tests/explore/own_scenarios.hpp"

namespace davit::explore {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

TEST(RunTest, APromptScenarioHidesItsStepsOnlyFromControllersThatBegin) {
  const Scenarios scenarios("replicaset");
  Scenario scenario = scenarios.find("rs-create");
  scenario.prompt = "its steps compete";
  std::set<std::string> plans;
  ExplorerOptions options;
  options.singles = false;
  options.before_run = [&plans](const Plan& plan) { plans.insert(to_text(plan)); };
  EXPECT_EQ(scenarios.explore(scenario, options).failures, 0U);
  EXPECT_THAT(plans, ::testing::Contains("turn#1=enable@1"));
  EXPECT_THAT(plans, ::testing::Not(::testing::Contains("turn#1=swap@1")));
  EXPECT_THAT(plans, ::testing::Contains("turn#2=swap@1")) << "the controllers' own change";
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

// The caches of a takeover lag on, and were verified at the moment of the write.
TEST(RunTest, AResponseThatIsLostRightAfterATakeoverMakesNoSliceTwice) {
  const Scenarios scenarios("endpointslicemirroring");
  EXPECT_THAT(oracles_of(scenarios.play("mirror-two",
                                        "request#1=takeover-after@1, request#2=lost-response")),
              IsEmpty());
}

// The cache that is held was verified at the moment of the write, too.
TEST(RunTest, AResponseThatIsLostWhileACacheIsHeldMakesNoPodTwice) {
  const Scenarios scenarios("daemonset");
  const std::pair<const char*, const char*> plans[] = {
      {"ds-roll", "turn#7=enable@2:pods, request#8=lost-response"},
      {"ds-node", "request#9=takeover-after@1:pods, request#12=lost-response"},
      {"ds-delete", "turn#2=hold:pods, request#5=lost-response"}};
  for (const auto& [scenario, plan] : plans) {
    EXPECT_THAT(oracles_of(scenarios.play(scenario, plan)), IsEmpty()) << scenario << ": " << plan;
  }
}

// The collector follows its kinds by informers opened at run time, which the swap finds unverified.
TEST(RunTest, ASwapAfterATakeoverStillVerifiesTheCaches) {
  const std::pair<const char*, const char*> files[] = {{"garbagecollector", "gc-foreground"},
                                                       {"resourcequota", "quota-change"}};
  const char* const plans[] = {"request#3=takeover-after@1, turn#5=swap",
                               "request#1=takeover-after@1, turn#4=swap"};
  for (std::size_t i = 0; i < std::size(files); ++i) {
    const auto& [file, scenario] = files[i];
    EXPECT_THAT(oracles_of(Scenarios(file).play(scenario, plans[i])), IsEmpty()) << scenario;
  }
}

TEST(RunTest, QuotasAreCountedThoughTheServerDidNotSayWhatItOffers) {
  const Scenarios scenarios("resourcequota");
  const std::pair<const char*, const char*> plans[] = {
      {"quota-change", "turn#14=swap, discovery#13=unavailable"},
      {"quota-delete", "turn#1=disable, discovery#5=empty-catalog"},
      {"quota-delete", "turn#5=enable@1, discovery#5=empty-catalog"}};
  for (const auto& [scenario, plan] : plans) {
    EXPECT_THAT(oracles_of(scenarios.play(scenario, plan)), IsEmpty()) << scenario << ": " << plan;
  }
}

TEST(RunTest, ADeletionOfHistoryThatFailsTwiceIsRepeated) {
  const Scenarios scenarios("cronjob");
  EXPECT_THAT(oracles_of(scenarios.play("cron-finish", "request#3=conflict, request#5=conflict")),
              IsEmpty());
}

TEST(RunTest, WritesAboutANodeThatFailTwiceAreMadeUpFor) {
  const Scenarios scenarios("nodelifecycle");
  const std::pair<const char*, const char*> plans[] = {
      {"node-silent", "request#1=lost-response, request#2=error-after"},
      {"node-silent", "request#3=conflict, request#4=error-after"},
      {"node-unschedulable", "request#4=conflict, request#5=empty-body"}};
  for (const auto& [scenario, plan] : plans) {
    EXPECT_THAT(oracles_of(scenarios.play(scenario, plan)), IsEmpty()) << scenario << ": " << plan;
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

// The new build begins where the old one does, whose caches were not verified yet.
TEST(RunTest, ASwapBeforeTheCachesOfATakeoverAreVerifiedWritesNothingThatIsStale) {
  const Scenarios scenarios("attachdetach");
  const RunResult run = scenarios.play(
      "ad-detach", "request#1=takeover-after@1, turn#5=swap@1:volumeattachments.storage.k8s.io");
  EXPECT_THAT(run.log, ::testing::Contains(HasSubstr("* turn#5=swap@1")));
  EXPECT_THAT(oracles_of(run), IsEmpty());
}

// The controller waits two minutes for the attachment that it has made.
TEST(RunTest, AStepWaitsForWhatARestoredServerHasLostBeforeACacheShowedIt) {
  const Scenarios scenarios("attachdetach");
  const RunResult run = scenarios.play(
      "ad-detach", "turn#6=swap@1:volumeattachments.storage.k8s.io, turn#10=restore@1");
  EXPECT_THAT(run.log, ::testing::Contains(HasSubstr("* turn#10=restore@1")));
  EXPECT_THAT(oracles_of(run), IsEmpty());
}

TEST(RunTest, TheDependentsOfWhatIsGoneAreCollected) {
  const Scenarios scenarios("replicaset");
  Scenario scenario = scenarios.find("rs-create");
  const auto take = [&scenario](Step::Action action) -> Step& {
    scenario.steps.emplace_back().action = action;
    return scenario.steps.back();
  };
  take(Step::Action::kDelete).target = {"replicasets", "", "web", {}};
  take(Step::Action::kRest);
  const Subject subject = scenarios.subject(scenario);
  const auto pods_of = [](const RunResult& run) {
    return std::ranges::count_if(run.end, [](const auto& each) {
      return each.find(R"("kind":"Pod")") != std::string::npos;
    });
  };
  EXPECT_GT(pods_of(play(scenario, subject, {}, nullptr)), 0);
  take(Step::Action::kCollect);
  EXPECT_EQ(pods_of(play(scenario, subject, {}, nullptr)), 0);
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

}  // namespace
}  // namespace davit::explore
