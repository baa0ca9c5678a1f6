/// Explores davit's own controllers by the scenarios of a folder: what scripts/explore runs.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/take_until.hpp"
#include "lib/base/text_file.hpp"
#include "testing/explore/explorer.hpp"
#include "testing/explore/replay.hpp"

namespace davit::explore {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  fs::path plugins;
  std::vector<fs::path> files;
  std::string replay;
  bool is_table = false;
  std::size_t repeats = 1;  // A replay's.
  std::string only;         // One scenario.
  ExplorerOptions options;
};

/// Ends the program with a mistake of its user.
[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "explore: " << why << '\n';
  std::exit(2);
}

template <typename Value>
Value must(Result<Value> result) {
  if (!result) give_up(result.error().message());
  return std::move(*result);
}

Choice choice_of(std::string_view name) {
  if (const std::optional<Choice> found = find_choice(name)) return *found;
  give_up("there is no choice " + std::string(name));
}

Arguments read(const std::vector<std::string>& given) {
  Arguments out;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto next = [&] { return i + 1 < given.size() ? given[++i] : std::string(); };
    if (given[i] == "--plugins") {
      out.plugins = next();
    } else if (given[i] == "--replay") {
      out.replay = next();
    } else if (given[i] == "--table") {
      out.is_table = true;
    } else if (given[i] == "--repeat") {
      out.repeats = static_cast<std::size_t>(std::atoi(next().c_str()));
    } else if (given[i] == "--only") {
      out.only = next();
    } else if (given[i] == "--choices") {
      std::string names = next();
      std::string_view rest = names;
      while (!rest.empty()) out.options.choices.push_back(choice_of(take_until(rest, ",")));
    } else if (given[i] == "--share") {
      std::string text = next();
      std::string_view rest = text;
      const std::string share(take_until(rest, "/"));
      out.options.share = static_cast<std::size_t>(std::atoi(share.c_str()));
      out.options.shares = static_cast<std::size_t>(std::atoi(std::string(rest).c_str()));
      if (out.options.share >= out.options.shares) give_up("a share is one of 0/4 to 3/4");
    } else if (given[i] == "--first") {
      out.options.failures_max = 1;
    } else if (given[i] == "--pairs") {
      out.options.pairs = true;
    } else if (given[i] == "--walks") {
      out.options.walks = static_cast<std::size_t>(std::atoi(next().c_str()));
    } else if (given[i] == "--runs-max") {
      out.options.runs_max = static_cast<std::size_t>(std::atoi(next().c_str()));
    } else {
      out.files.emplace_back(given[i]);
    }
  }
  return out;
}

/// PLUGINS/NAME/NAME.so, as the build tree has it, or what only the explorer has.
void open_plugins(const Arguments& arguments, const Scenario& scenario, OpenPlugins& plugins,
                  std::map<std::string, bool>& open) {
  for (const std::string& each : scenario.plugins) {
    if (std::exchange(open[each], true)) continue;
    std::filesystem::path file = arguments.plugins / each / (each + ".so");
    if (!std::filesystem::exists(file)) {
      file = arguments.plugins.parent_path() / "tests" / "explore" / (each + ".so");
    }
    const Status s = plugins.open(file);
    if (!s.ok()) give_up(s.message());
  }
}

void print(const Summary& summary) {
  const double seconds = std::chrono::duration<double>(summary.time).count();
  std::printf(
      "%-24s %4zu points %6zu of %6zu runs %6zu cut %7zu states %7.2f s %4zu failures %3zu "
      "findings\n",
      summary.scenario.c_str(), summary.points, summary.runs, summary.possible, summary.cut,
      summary.states, seconds, summary.failures, summary.findings.size());
  for (const Finding& each : summary.findings) {
    std::printf("  %s\n", each.replay.c_str());
    for (const Violation& violation : each.violations) {
      std::printf("    %s: %s\n", violation.oracle.c_str(), violation.text.c_str());
    }
  }
}

/// The numbers of a file.
struct Row {
  std::size_t scenarios = 0;
  std::size_t runs = 0;
  std::size_t possible = 0;
  std::size_t states = 0;
  std::size_t findings = 0;
  double seconds = 0;  // A processor's, so that other programs do not count.

  void add(const Summary& summary) {
    ++scenarios;
    runs += summary.runs;
    possible += summary.possible;
    states += summary.states;
    findings += summary.findings.size();
  }
  void add(const Row& other) {
    scenarios += other.scenarios;
    runs += other.runs;
    possible += other.possible;
    states += other.states;
    findings += other.findings;
    seconds += other.seconds;
  }
  void print(const std::string& name) const {
    std::printf("| %s | %zu | %zu | %zu | %zu | %.0f | %zu |\n", name.c_str(), scenarios, runs,
                possible, states, seconds, findings);
    std::fflush(stdout);
  }
};

int replay(const Arguments& arguments, const Scenario& scenario, const Subject& subject,
           Clock& clock) {
  const bool is_plan = arguments.replay.find("davit-explore") == std::string::npos;
  const Plan plan = must(is_plan ? parse_plan(arguments.replay)
                                 : replayed_plan(arguments.replay, scenario, subject));
  Explorer explorer(scenario, subject, clock);
  const RunResult run = explorer.replay(plan);
  for (const std::string& each : run.log) std::cout << each << '\n';
  for (std::size_t i = 1; i < arguments.repeats; ++i) {
    if (explorer.replay(plan).log == run.log) continue;
    std::cout << "run " << i + 1 << " has another log\n";
    return 1;
  }
  if (arguments.repeats > 1) std::cout << arguments.repeats << " equal logs\n";
  return run.ok() ? 0 : 1;
}

int run(const Arguments& arguments) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  OpenPlugins plugins;
  std::map<std::string, bool> open;
  std::size_t failures = 0;
  Row all;
  if (arguments.is_table) {
    std::printf(
        "| controllers of | scenarios | runs | possible | states | seconds | findings |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n");
  }
  for (const fs::path& file : arguments.files) {
    Row row;
    const std::clock_t began = std::clock();
    const std::string text = must(read_text_file(file));
    for (const Scenario& each : must(read_scenarios(text, file.filename()))) {
      if (!arguments.only.empty() && each.name != arguments.only) continue;
      open_plugins(arguments, each, plugins, open);
      const Subject subject = must(plugins.subject(each));
      if (!arguments.replay.empty()) return replay(arguments, each, subject, *clock);
      Explorer explorer(each, subject, *clock);
      const Summary summary = explorer.explore(arguments.options);
      row.add(summary);
      if (!arguments.is_table) print(summary);
      std::fflush(stdout);
      failures += summary.failures;
    }
    row.seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    if (arguments.is_table) row.print(file.stem());
    all.add(row);
  }
  if (arguments.is_table) {
    all.print("all");
  } else {
    constexpr double kPercent = 100;
    const double share =
        all.possible == 0 ? 1 : static_cast<double>(all.runs) / static_cast<double>(all.possible);
    std::printf("%zu of %zu runs (%.1f %%) of %zu scenarios, %.0f s of a processor, %zu findings\n",
                all.runs, all.possible, kPercent * share, all.scenarios, all.seconds, all.findings);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace davit::explore

int main(int count, char** given) {
  return davit::explore::run(
      davit::explore::read(std::vector<std::string>(given + 1, given + count)));
}
