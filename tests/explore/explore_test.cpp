/// The explorer itself, and davit's own controllers in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/mutant.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lib/base/text_file.hpp"
#include "testing/explore/explorer.hpp"
#include "testing/explore/replay.hpp"

namespace davit::explore {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

/// At most so many runs of a scenario, chosen by a sum of their text, so that all scenarios
/// together take less than four minutes under ASan. scripts/explore plays them all.
constexpr std::size_t kRunsMax = 16;

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
      const Status s = plugins_.open(fs::path(DAVIT_PLUGINS) / each / (each + ".so"));
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

TEST(PlanTest, TheTextOfAPlanIsReadAsThePlan) {
  const Plan plan = {{Point::kRequest, 3, Choice::kCrashAfter, 2},
                     {Point::kTurn, 4, Choice::kHold, 0, "pods"},
                     {Point::kDiscovery, 1, Choice::kNoCoreGroup}};
  EXPECT_EQ(to_text(plan), "request#3=crash-after@2, turn#4=hold:pods, discovery#1=no-core-group");
  EXPECT_EQ(*parse_plan(to_text(plan)), plan);
  EXPECT_EQ(*parse_plan(to_text(Plan())), Plan());
}

TEST(PlanTest, AMistakeNamesThePartAndWhatIsAllowedThere) {
  EXPECT_THAT(parse_plan("sync#1=swap").error().message(), HasSubstr("request#"));
  EXPECT_THAT(parse_plan("turn#0=swap").error().message(), HasSubstr("counts from 1"));
  EXPECT_THAT(parse_plan("turn#1=lost-response").error().message(), HasSubstr("swap, enable"));
  EXPECT_THAT(parse_plan("turn#1=swap@x").error().message(), HasSubstr("a number follows @"));
}

TEST(ScenarioTest, AMistakeHasFileLineAndWhatIsAllowed) {
  const auto read = [](const std::string& step) {
    return read_scenarios("scenarios:\n  - name: a\n    steps:\n      - " + step + "\n", "a.yaml")
        .error()
        .message();
  };
  EXPECT_THAT(read("jump"), HasSubstr("a.yaml:4: a step is rest"));
  EXPECT_THAT(read("pass: soon"), HasSubstr("a.yaml:4: pass is a number"));
  EXPECT_THAT(read("create: nothing"), HasSubstr("a.yaml:4: no object named nothing"));
  EXPECT_THAT(read("{delete: pod/a, when: now}"), HasSubstr("a.yaml:4: unknown key when"));
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

// ---- The runs ----

TEST(RunTest, OneLineGivesTheSameBytesEachTime) {
  const Scenarios scenarios("replicaset");
  const std::string plan = "request#2=takeover-after@1, turn#4=swap";
  const RunResult first = scenarios.play("rs-create", plan);
  EXPECT_THAT(first.log, ::testing::Contains(HasSubstr("B leads")));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(scenarios.play("rs-create", plan).log, first.log);
}

TEST(RunTest, AStandbyThatLacksTheLastChangeMakesNoPodTwice) {
  const Scenarios scenarios("replicaset");
  const RunResult run = scenarios.play("rs-create", "request#1=takeover-after@1");
  EXPECT_THAT(run.log, ::testing::Contains(HasSubstr("the caches of B lack the last 1 changes")));
  EXPECT_THAT(oracles_of(run), IsEmpty());
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

class OwnControllersTest : public ::testing::TestWithParam<std::string> {};

TEST_P(OwnControllersTest, NoSingleFaultAndNoStaleCacheShows) {
  const Scenarios scenarios(GetParam());
  ExplorerOptions options;
  options.runs_max = kRunsMax;
  for (const Scenario& each : scenarios.all()) {
    const Summary summary = scenarios.explore(each, options);
    EXPECT_EQ(summary.failures, 0U) << text_of(summary);
    RecordProperty(each.name, std::to_string(summary.runs) + " of " +
                                  std::to_string(summary.possible) + " runs");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Plugins, OwnControllersTest,
    ::testing::Values("attachdetach", "certificates", "clusterroleaggregation", "cronjob",
                      "daemonset", "deployment", "devicetaint", "disruption", "endpoint",
                      "endpointslicemirroring", "ephemeralvolume", "garbagecollector", "job",
                      "namespace", "nodeipam", "nodelifecycle", "podautoscaler", "podgc",
                      "replicaset", "replicationcontroller", "resourceclaim", "resourcequota",
                      "serviceaccount", "servicecidr", "statefulset", "ttl", "ttlafterfinished",
                      "volumebinder", "volumeprotection"));

}  // namespace
}  // namespace davit::explore
