/// davit's own controllers in the explorer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/take_until.hpp"
#include "lib/base/text_file.hpp"
#include "testing/explore/explorer.hpp"
#include "tests/explore/own_scenarios.hpp"

namespace davit::explore {
namespace {

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
