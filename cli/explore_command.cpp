#include "cli/explore_command.hpp"

#include <cstdint>
#include <ostream>

#include "cli/explore/exploration.hpp"
#include "cli/held_signals.hpp"
#include "cli/progress_line.hpp"
#include "host/process/exit_codes.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/shell_quote.hpp"

namespace davit::host {
namespace {

/// The command that plays one run again.
std::string replay_command(const PluginExploreOptions& options, const std::string& line) {
  std::string out = "davit plugin explore " + shell_quoted(options.file);
  const auto flag = [&out](const char* name, const std::string& value) {
    if (!value.empty()) out += std::string(" ") + name + " " + shell_quoted(value);
  };
  for (const std::string& each : options.configs) flag("--config", each);
  flag("--crd", options.definitions);
  flag("--objects", options.objects);
  flag("--scenario", options.scenario);
  flag("--replay", line);
  return out;
}

std::string count_of(std::int64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

/// "passed  made: 120 runs of 120, 64 states, 3 s"
std::string headline(const Json& scenario) {
  constexpr std::int64_t kMilliseconds = 1000;
  const auto number = [&scenario](const char* member) {
    return scenario.get(member).integer_or(0);
  };
  const std::size_t findings = scenario.get("findings").size();
  std::string out = findings == 0 ? "passed  " : "failed  ";
  out += scenario.get("name").text() + ": " + count_of(number("runs"), "run") + " of " +
         std::to_string(number("possible"));
  if (number("cut") > 0) out += ", " + std::to_string(number("cut")) + " like others";
  out += ", " + count_of(number("states"), "state") + ", " +
         std::to_string(number("milliseconds") / kMilliseconds) + " s";
  if (number("runs") < number("possible")) out += "; more with --minutes";
  return out;
}

void print(const Json& finding, const PluginExploreOptions& options, std::ostream& out) {
  out << "        " << finding.get("summary").text() << ":";
  for (const Json& each : finding.get("decisions").items()) out << " " << each.text();
  out << "\n";
  for (const Json& each : finding.get("violations").items()) {
    out << "          " << each.get("oracle").text() << ": " << each.get("text").text() << "\n";
  }
  for (const Json& each : finding.get("story").items()) out << "        | " << each.text() << "\n";
  out << "          again: " << replay_command(options, finding.get("replay").text()) << "\n";
}

void print(const Exploration& exploration, const PluginExploreOptions& options, std::ostream& out) {
  for (const std::string& each : exploration.log) out << each << "\n";
  std::size_t findings = 0;
  for (const Json& scenario : exploration.scenarios.items()) {
    out << headline(scenario) << "\n";
    findings += scenario.get("findings").size();
    // The log has it all.
    if (!exploration.log.empty()) continue;
    for (const Json& each : scenario.get("findings").items()) print(each, options, out);
  }
  if (!exploration.failure.empty()) {
    out << "failed  " << exploration.failure << "\n";
    for (const std::string& each : exploration.output) out << "        | " << each << "\n";
  }
  out << "\n" << exploration.plugin << " " << exploration.version << ": ";
  if (exploration.ok()) {
    out << "nothing found\n";
  } else {
    const auto count = static_cast<std::int64_t>(findings + (exploration.failure.empty() ? 0 : 1));
    out << count_of(count, "finding") << "\n";
  }
}

std::string json_of(const Exploration& exploration, const PluginExploreOptions& options) {
  return JsonText('{')
      .boolean("ok", exploration.ok())
      .text("file", options.file)
      .text("plugin", exploration.plugin)
      .text("version", exploration.version)
      .text("sha256", exploration.digest)
      .raw("scenarios", to_text(exploration.scenarios))
      .texts("log", exploration.log)
      .text("failure", exploration.failure)
      .texts("output", exploration.output)
      .str();
}

}  // namespace

int run_plugin_explore(const PluginExploreOptions& options, std::ostream& out, std::ostream& err) {
  const HeldSignals signals;
  const ExplorationOptions wanted{.file = options.file,
                                  .configs = options.configs,
                                  .definitions = options.definitions,
                                  .objects = options.objects,
                                  .scenarios = options.scenario,
                                  .pairs = options.pairs,
                                  .limit = std::chrono::minutes(options.minutes),
                                  .run_limit = options.run_limit,
                                  .replay = options.replay,
                                  .stop_fd = signals.fd()};
  const bool json = options.output == PluginExploreOptions::Output::kJson;
  ProgressLine line(out, ProgressLine::screen_of_stdout());
  ExplorationObserver observer;
  if (!json) {
    observer = [&line](std::string_view progress, std::chrono::milliseconds time) {
      line.show("exploring  " + std::string(progress), time);
    };
  }
  const Result<Exploration> exploration = explore_plugin(wanted, observer);
  line.clear();
  if (!exploration) {
    err << "davit: " << exploration.error().message() << "\n";
    return kExitMistakes;
  }
  if (json) {
    out << json_of(*exploration, options) << "\n";
  } else {
    print(*exploration, options, out);
  }
  return exploration->ok() ? kExitGood : kExitFailed;
}

}  // namespace davit::host
