/// The scenarios of tests/explore/scenarios, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lib/base/text_file.hpp"
#include "testing/explore/explorer.hpp"
#include "testing/explore/replay.hpp"

namespace davit::explore {

namespace fs = std::filesystem;

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

/// The findings, for a failure's text.
inline std::string text_of(const Summary& summary) {
  std::string out;
  for (const Finding& each : summary.findings) {
    out += each.replay + "\n";
    for (const std::string& line : each.story) out += "  " + line + "\n";
  }
  return out;
}

/// The oracles that a run violates.
inline std::vector<std::string> oracles_of(const RunResult& run) {
  std::vector<std::string> out;
  for (const Violation& each : run.violations) out.push_back(each.oracle);
  return out;
}

}  // namespace davit::explore
