/// The same scenarios with kube-controller-manager and with davit: the same states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include "lib/base/text_file.hpp"
#include "lib/kube/yaml.hpp"
#include "tests/live/oracle/side.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/process.hpp"

namespace davit::oracle {

/// Prints the name, where googletest would print bytes.
void PrintTo(const ListedScenario& scenario, std::ostream* out) { *out << scenario.name; }

namespace {

/// The number of further plays by the original when another side's play differs.
constexpr int kMorePlays = 4;

/// DAVIT_ORACLE_ONLY=part,part: only scenarios whose names contain one of them.
bool is_wanted(const std::string& scenario) {
  const char* only = std::getenv("DAVIT_ORACLE_ONLY");
  if (only == nullptr) return true;
  std::string parts(only);
  for (std::size_t begin = 0; begin < parts.size();) {
    const std::size_t end = std::min(parts.find(',', begin), parts.size());
    if (scenario.find(parts.substr(begin, end - begin)) != std::string::npos) return true;
    begin = end + 1;
  }
  return false;
}

std::vector<std::string> compared(const Scenario& scenario, const Transcript& original,
                                  const Transcript& ours, const KnownDifferences& known) {
  std::vector<std::string> out;
  const auto add = [&out](const std::string& place, std::vector<std::string> found) {
    for (std::string& each : found) out.push_back(place + ": " + std::move(each));
  };
  const std::size_t rests = std::min(original.rests.size(), ours.rests.size());
  for (std::size_t i = 0; i < rests; ++i) {
    if (scenario.compare == Compare::kEnds && i + 1 != rests) continue;
    add(ours.rests[i].first, differences(original.rests[i].second, ours.rests[i].second));
  }
  if (scenario.compare == Compare::kEnds) return out;
  const Names names(original.lives);
  const Names our_names(ours.lives);
  add("history", differences(histories(original.lives, names, known, scenario.compare),
                             histories(ours.lives, our_names, known, scenario.compare)));
  add("events", differences(events(original.lives, names, known, scenario.compare),
                            events(ours.lives, our_names, known, scenario.compare)));
  return out;
}

/// The failures of each scenario, one a line, by its name.
using Verdicts = std::map<std::string, std::vector<std::string>>;

/// The plays of kube-controller-manager in which every step came to pass; the first if none is.
std::vector<const Transcript*> plays_of_original(const Scenario& scenario,
                                                 const std::vector<Transcripts>& originals) {
  std::vector<const Transcript*> out;
  for (const Transcripts& each : originals) {
    const auto found = each.find(scenario.name);
    if (found != each.end()) out.push_back(&found->second);
  }
  if (out.empty()) return out;
  const Transcript* const first = out.front();
  std::erase_if(out, [](const Transcript* each) { return !each->failures.empty(); });
  if (out.empty()) out.push_back(first);
  return out;
}

/// Empty if this went as one of these plays did, else how it differs from the first.
std::vector<std::string> verdict_on(const Scenario& scenario, const Transcript& ours,
                                    const std::vector<const Transcript*>& plays,
                                    const KnownDifferences& known) {
  std::vector<std::string> first;
  for (const Transcript* play : plays) {
    std::vector<std::string> now = compared(scenario, *play, ours, known);
    if (now.empty()) return {};
    if (play == plays.front()) first = std::move(now);
  }
  return first;
}

Verdicts judged(const std::vector<Scenario>& scenarios, const std::map<Cast, Transcripts>& played,
                const std::vector<Transcripts>& originals, const KnownDifferences& known) {
  Verdicts out;
  for (const Scenario& scenario : scenarios) {
    std::vector<std::string>& verdict = out[scenario.name];
    const auto add = [&](Cast cast, const std::vector<std::string>& found) {
      for (const std::string& each : found) {
        verdict.push_back(std::string(name_of(cast)) + ": " + each);
      }
    };
    const std::vector<const Transcript*> plays = plays_of_original(scenario, originals);
    if (!plays.empty()) add(Cast::kOriginal, plays.front()->failures);
    for (const auto& [cast, transcripts] : played) {
      const auto found = transcripts.find(scenario.name);
      if (is_original(cast) || found == transcripts.end()) continue;
      add(cast, found->second.failures);
      add(cast, verdict_on(scenario, found->second, plays, known));
    }
  }
  return out;
}

Transcripts play_with(const std::string& replicas) {
  Transcript out;
  out.rests = {{"10_rollouts.yaml:1", {{"deployment web", R"({"replicas":)" + replicas + '}'}}}};
  return {{"scaled", out}};
}

TEST(VerdictTest, HistoryIsRightIfTheOriginalShowsItInOneOfItsPlays) {
  const KnownDifferences known(DAVIT_ORACLE "/known_differences.yaml", "v1.36");
  Scenario scaled;
  scaled.name = "scaled";
  std::vector<Transcripts> originals = {play_with("1"), play_with("2")};
  const auto verdict = [&](const std::string& replicas) {
    return judged({scaled}, {{Cast::kDavit, play_with(replicas)}}, originals, known).at("scaled");
  };

  EXPECT_TRUE(verdict("1").empty());
  EXPECT_TRUE(verdict("2").empty());
  EXPECT_FALSE(verdict("3").empty());

  originals[1].at("scaled").failures = {"10_rollouts.yaml:2: there are 5 nodes"};
  EXPECT_TRUE(verdict("1").empty());
  EXPECT_FALSE(verdict("2").empty()) << "a play that went wrong shows nothing";

  originals[0].at("scaled").failures = {"10_rollouts.yaml:2: there are 5 nodes"};
  EXPECT_FALSE(verdict("1").empty()) << "no play came to its end";
}

/// Playing takes minutes and is done for all at once; ctest runs each test in a process of its
/// own, so verdicts go through files.
std::filesystem::path verdict_folder() {
  return std::filesystem::path(DAVIT_ORACLE_VERDICTS) /
         (live::is_oldest_server() ? "oldest" : "first");
}
std::filesystem::path verdict_file(const std::string& scenario) {
  return verdict_folder() / (scenario + ".txt");
}

std::vector<ListedScenario> all_scenarios() { return list_scenarios(DAVIT_ORACLE "/scenarios"); }

std::vector<ListedScenario> scenarios_for_oldest() {
  std::vector<ListedScenario> out = all_scenarios();
  std::erase_if(out, [](const ListedScenario& each) { return !each.plays_on_oldest; });
  return out;
}

/// The sandbox is compared with the first server only.
std::vector<Cast> casts() {
  if (live::is_oldest_server()) return {Cast::kOriginal, Cast::kDavit};
  if (live::assets().empty()) return {Cast::kSandbox};
  return {Cast::kOriginal, Cast::kOriginalOnSandbox, Cast::kDavit, Cast::kSandbox};
}

/// Each scenario as kube-controller-manager played it, on whichever server that was.
Transcripts joined(Transcripts on_real_server, Transcripts on_sandbox) {
  on_real_server.merge(on_sandbox);
  return on_real_server;
}

TEST(OracleStageTest, EveryScenarioIsPlayedOnEverySide) {
  if (live::is_oldest_server() && live::assets().empty()) GTEST_SKIP() << live::no_assets();
  std::filesystem::remove_all(verdict_folder());
  std::filesystem::create_directories(verdict_folder());
  const KnownDifferences known(DAVIT_ORACLE "/known_differences.yaml",
                               live::assets().empty() ? "" : live::server_release());
  std::vector<Scenario> scenarios = load_scenarios(DAVIT_ORACLE "/scenarios");
  std::erase_if(scenarios, [](const Scenario& each) {
    return !is_wanted(each.name) || (live::is_oldest_server() && !each.plays_on_oldest);
  });
  ASSERT_FALSE(scenarios.empty());
  std::map<Cast, Transcripts> played;
  for (const Cast cast : casts()) played[cast];
  {
    // Waiting takes longer than working, so the sides play at the same time.
    std::vector<std::jthread> sides;
    for (auto& [cast, transcripts] : played) {
      sides.emplace_back([&scenarios, &known, cast, &transcripts] {
        transcripts = play_all(cast, scenarios, known);
      });
    }
  }
  std::vector<Transcripts> originals;
  if (played.contains(Cast::kOriginal)) {
    originals.push_back(joined(played[Cast::kOriginal], played[Cast::kOriginalOnSandbox]));
  }
  Verdicts verdicts = judged(scenarios, played, originals, known);
  // kube-controller-manager has races, so one play of it does not show all that it may do.
  for (int again = 0; again < kMorePlays && !originals.empty(); ++again) {
    std::vector<Scenario> open = scenarios;
    std::erase_if(open, [&](const Scenario& each) { return verdicts.at(each.name).empty(); });
    if (open.empty()) break;
    std::cout << "kube-controller-manager plays again:\n";
    for (const Scenario& each : open) {
      for (const std::string& line : verdicts.at(each.name)) {
        std::cout << "  " << each.name << ": " << line << '\n';
      }
    }
    originals.push_back(joined(play_all(Cast::kOriginal, open, known),
                               play_all(Cast::kOriginalOnSandbox, open, known)));
    verdicts = judged(scenarios, played, originals, known);
  }
  for (const auto& [name, verdict] : verdicts) {
    std::string text;
    for (const std::string& each : verdict) text += each + '\n';
    live::write_file(verdict_file(name), text);
  }
  std::cout << scenarios.size() << " scenarios on " << played.size() << " sides\n";
}

class OracleTest : public testing::TestWithParam<ListedScenario> {};

TEST_P(OracleTest, PassesTheStatesThatItPassesWithKubeControllerManager) {
  const ListedScenario& scenario = GetParam();
  if (live::is_oldest_server() && live::assets().empty()) GTEST_SKIP() << live::no_assets();
  if (!is_wanted(scenario.name)) GTEST_SKIP() << "DAVIT_ORACLE_ONLY names others";
  const Result<std::string> verdict = read_text_file(verdict_file(scenario.name));
  ASSERT_TRUE(verdict) << "was not played: " << verdict.error().message();
  EXPECT_EQ(*verdict, "") << scenario.place;
  if (live::assets().empty()) {
    GTEST_SKIP() << live::no_assets() << ": played on the sandbox only";
  }
}

std::string test_name(const testing::TestParamInfo<ListedScenario>& each) {
  std::string name = each.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(EachScenario, OracleTest, testing::ValuesIn(all_scenarios()), test_name);
INSTANTIATE_TEST_SUITE_P(OnTheOldServer, OracleTest, testing::ValuesIn(scenarios_for_oldest()),
                         test_name);

}  // namespace
}  // namespace davit::oracle
