/// The same scenarios with kube-controller-manager and with davit: the same states.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <thread>

#include "tests/live/oracle/side.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::oracle {
namespace {

/// DAVIT_ORACLE_ONLY=part,part: only scenarios whose names contain one of them.
bool is_wanted(const Scenario& scenario) {
  const char* only = std::getenv("DAVIT_ORACLE_ONLY");
  if (only == nullptr) return true;
  std::string parts(only);
  for (std::size_t begin = 0; begin < parts.size();) {
    const std::size_t end = std::min(parts.find(',', begin), parts.size());
    if (scenario.name.find(parts.substr(begin, end - begin)) != std::string::npos) return true;
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

void expect_success(const Scenario& scenario, const Transcript& played, Cast cast) {
  for (const std::string& each : played.failures) {
    ADD_FAILURE() << scenario.name << ", " << name_of(cast) << ": " << each;
  }
}

TEST(OracleTest, EveryScenarioPassesTheStatesItPassesWithKubeControllerManager) {
  const KnownDifferences known(DAVIT_ORACLE "/known_differences.yaml");
  std::vector<Scenario> scenarios = load_scenarios(DAVIT_ORACLE "/scenarios");
  std::erase_if(scenarios, [](const Scenario& each) { return !is_wanted(each); });
  ASSERT_FALSE(scenarios.empty());
  std::map<Cast, Transcripts> played;
  std::vector<Cast> casts = {Cast::kSandbox};
  if (!live::assets().empty()) casts = {Cast::kOriginal, Cast::kDavit, Cast::kSandbox};
  for (const Cast cast : casts) played[cast];
  {
    // Waiting takes longer than working, so the sides play at the same time.
    std::vector<std::jthread> sides;
    for (auto& [cast, transcripts] : played) {
      sides.emplace_back([&scenarios, &known, cast, &transcripts] {
        transcripts = play_all(cast, scenarios, known);
      });
    }
  }
  std::size_t compared_count = 0;
  for (const Scenario& scenario : scenarios) {
    for (const Cast cast : casts) {
      const auto ours = played[cast].find(scenario.name);
      if (ours == played[cast].end()) continue;
      expect_success(scenario, ours->second, cast);
      const auto original = played[Cast::kOriginal].find(scenario.name);
      if (cast == Cast::kOriginal || original == played[Cast::kOriginal].end()) continue;
      ++compared_count;
      for (const std::string& each : compared(scenario, original->second, ours->second, known)) {
        ADD_FAILURE() << scenario.name << ", " << name_of(cast) << ": " << each;
      }
    }
  }
  std::cout << scenarios.size() << " scenarios, " << compared_count << " comparisons\n";
  if (live::assets().empty()) {
    GTEST_SKIP() << "KUBEBUILDER_ASSETS is not set: played on the sandbox only";
  }
}

}  // namespace
}  // namespace davit::oracle
