#include "cli/explore/exploration.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/validate/child.hpp"
#include "cli/validate/made_scenario.hpp"
#include "cli/validate/trial_content.hpp"
#include "host/loading/plugin_file.hpp"
#include "host/loading/staging.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/replace_file.hpp"
#include "lib/base/text_file.hpp"
#include "testing/explore/explorer.hpp"
#include "testing/explore/replay.hpp"

namespace davit::host {
namespace {

using explore::Explorer;
using explore::Finding;
using explore::OpenPlugins;
using explore::Plan;
using explore::RunResult;
using explore::Scenario;
using explore::Summary;

/// A busy machine plays so many steps of a large scenario in a second, each with an object to sync.
constexpr std::size_t kStepsOfSecond = 100;
/// A run with faults may have so many times the syncs of the undisturbed one.
constexpr int kTimesUndisturbed = 10;

/// The child's orders.
struct Work {
  const ExplorationOptions& options;
  std::filesystem::path file;  // A copy of the plugin that no other user may write.
  std::filesystem::path scratch;
  TrialContent content;

  /// The child's report.
  [[nodiscard]] std::filesystem::path report() const { return scratch / "report.json"; }
};

Json texts(const std::vector<std::string>& lines) {
  Json out = Json::array();
  for (const std::string& each : lines) out.push_back(each);
  return out;
}

Json json_of(const Finding& finding) {
  Json violations = Json::array();
  for (const explore::Violation& each : finding.violations) {
    violations.push_back(Json::object({{"oracle", each.oracle}, {"text", each.text}}));
  }
  std::vector<std::string> decisions;
  for (const explore::Decision& each : finding.plan) decisions.push_back(to_text(each));
  return Json::object({{"summary", std::string(mistake_of(finding.plan))},
                       {"decisions", texts(decisions)},
                       {"violations", std::move(violations)},
                       {"story", texts(finding.story)},
                       {"replay", finding.replay}});
}

Json number(std::size_t value) { return static_cast<std::int64_t>(value); }

Json json_of(const Summary& summary) {
  Json findings = Json::array();
  for (const Finding& each : summary.findings) findings.push_back(json_of(each));
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(summary.time);
  return Json::object({{"name", summary.scenario},
                       {"points", number(summary.points)},
                       {"possible", number(summary.possible)},
                       {"runs", number(summary.runs)},
                       {"cut", number(summary.cut)},
                       {"states", number(summary.states)},
                       {"failures", number(summary.failures)},
                       {"milliseconds", static_cast<std::int64_t>(time.count())},
                       {"findings", std::move(findings)}});
}

/// Explores in the child.
class ChildWork {
 public:
  ChildWork(const Work& work, const CheckReporter& reporter) : work_(work), reporter_(reporter) {}

  Status run() {
    reporter_.step("opening it");
    if (Status s = plugins_.open(work_.file); !s.ok()) return s;
    const Result<std::vector<Scenario>> scenarios = read();
    if (!scenarios) return scenarios.error();
    const Status done = work_.options.replay.empty() ? explore_all(*scenarios) : replay(*scenarios);
    if (!done.ok()) return done;
    return write_report();
  }

 private:
  [[nodiscard]] Result<std::vector<Scenario>> read() {
    const std::filesystem::path& file = work_.options.scenarios;
    if (file.empty()) {
      reporter_.step("making a scenario of what it watches");
      Result<Scenario> made = made_scenario(work_.file, work_.scratch, work_.content);
      if (!made) return made.error();
      return std::vector<Scenario>{std::move(*made)};
    }
    const Result<std::string> text = read_text_file(file.string());
    if (!text) return text.error().with_context(file.string());
    return explore::read_scenarios(*text, file.string());
  }

  [[nodiscard]] Result<explore::Subject> subject_of(const Scenario& scenario) const {
    return configured_subject(plugins_, scenario, work_.content);
  }

  Status explore_all(const std::vector<Scenario>& scenarios) {
    const Time end = clock_->now() + work_.options.limit;
    Json all = Json::array();
    for (const Scenario& each : scenarios) {
      const Result<explore::Subject> subject = subject_of(each);
      if (!subject) return subject.error();
      Explorer explorer(each, *subject, *clock_);
      reporter_.progress(each.name + ": the run without faults");
      undisturbed_ = Duration::zero();
      explore::ExplorerOptions options;
      options.pairs = work_.options.pairs;
      if (work_.options.runs_max != 0) options.runs_max = work_.options.runs_max;
      options.before_run = [&](const Plan& plan) { begin_run(each, *subject, plan); };
      options.go_on = [&](std::size_t runs) {
        reporter_.progress(each.name + ": " + std::to_string(runs) + " runs");
        return clock_->now() < end;
      };
      const Summary summary = explorer.explore(options);
      if (summary.points == 0 && summary.findings.empty()) {
        return {Code::kInvalid, each.place + ": no controller does anything; give what they need " +
                                    "with --config and --objects, or a scenario with --scenario"};
      }
      all.push_back(json_of(summary));
      report_.set("scenarios", all);
      if (Status s = write_report(); !s.ok()) return s;
    }
    return {};
  }

  Status replay(const std::vector<Scenario>& scenarios) {
    const Result<std::string> name = explore::replayed_scenario(work_.options.replay);
    if (!name) return name.error();
    const auto scenario = std::ranges::find(scenarios, *name, &Scenario::name);
    if (scenario == scenarios.end()) {
      return Status(Code::kInvalid, "the line is of the scenario " + *name + ", which is not here");
    }
    const Result<explore::Subject> subject = subject_of(*scenario);
    if (!subject) return subject.error();
    const Result<Plan> plan = replayed_plan(work_.options.replay, *scenario, *subject);
    if (!plan) return plan.error();
    begin_run(*scenario, *subject, *plan);
    Explorer explorer(*scenario, *subject, *clock_);
    const RunResult run = explorer.replay(*plan);
    Summary summary;
    summary.scenario = *name;
    summary.points = run.points.size();
    summary.possible = summary.runs = 1;
    summary.failures = run.ok() ? 0 : 1;
    if (!run.ok()) {
      summary.findings.push_back(
          {*name, *plan, run.violations, explore::story_of(run), work_.options.replay});
    }
    report_.set("scenarios", Json::array({json_of(summary)}));
    report_.set("log", texts(run.log));
    return write_report();
  }

  /// Should the process end in this run, its last step is the line that replays it.
  void begin_run(const Scenario& scenario, const explore::Subject& subject, const Plan& plan) {
    reporter_.step(replay_line(scenario, subject, plan));
    const Time now = clock_->now();
    if (std::exchange(is_undisturbed_, plan.empty())) {
      undisturbed_ = std::max(undisturbed_, now - began_);
    }
    began_ = now;
    const std::size_t steps = scenario.cluster.size() + scenario.steps.size();
    const std::chrono::seconds more(steps / kStepsOfSecond);
    const auto slow = std::chrono::duration_cast<std::chrono::seconds>(undisturbed_);
    alarm(
        static_cast<unsigned>((work_.options.run_limit + more + kTimesUndisturbed * slow).count()));
  }

  Status write_report() const {
    return replace_file(work_.report().string(), to_text(report_), Readable::kByOwner);
  }

  const Work& work_;
  const CheckReporter& reporter_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  OpenPlugins plugins_;
  Time began_;                   // The present run.
  bool is_undisturbed_ = false;  // It.
  Duration undisturbed_{0};      // The time of the scenario's undisturbed runs, the slower of two.
  Json report_ = Json::object({{"scenarios", Json::array()}, {"log", Json::array()}});
};

void explore_in_child(const Work& work, const CheckReporter& reporter) {
  ChildWork child(work, reporter);
  const Status done = child.run();
  if (done.code() == Code::kConflict) {
    reporter.warn(done.message());  // Not a mistake.
  } else {
    reporter.fail_lines(done.message());
  }
  // The plugin's threads must not meet destructors.
  reporter.leave();
}

/// Takes what the child has written. Nothing is there when it ended early.
void take_report(const Work& work, Exploration& out) {
  const Result<std::string> text = read_text_file(work.report().string());
  if (!text) return;
  const Result<Json> report = parse_json(*text);
  if (!report) return;
  out.scenarios = report->get("scenarios");
  for (const Json& each : report->get("log").items()) out.log.push_back(each.text());
}

std::string failure_of(const ChildRun& run) {
  if (run.end == ChildRun::End::kEnded && run.status.signal == SIGALRM) {
    return "a call of the plugin does not return (" + run.step + ")";
  }
  return run.failure();
}

}  // namespace

bool Exploration::ok() const {
  return failure.empty() && std::ranges::all_of(scenarios.items(), [](const Json& each) {
           return each.get("findings").size() == 0;
         });
}

Result<Exploration> explore_plugin(const ExplorationOptions& options,
                                   const ExplorationObserver& observer) {
  Result<TrialContent> content =
      read_trial_content(options.configs, options.definitions, options.objects);
  if (!content) return content.error();
  const Result<TrustedFile> file = read_plugin_file(options.file);
  if (!file) return file.error();
  const Result<PluginFile> judged = judge_plugin(options.file, file->content, file->digest);
  if (!judged) return judged.error();
  std::vector<std::string> controllers;
  for (const DeclaredController& each : judged->declaration.controllers) {
    controllers.push_back(each.name);
  }
  if (Status s = check_controller_configs(content->configs, controllers); !s.ok()) return s;
  Result<StagingDirectory> scratch = StagingDirectory::create();
  if (!scratch) return scratch.error();
  const Result<std::filesystem::path> copy = stage(*scratch, *file);
  if (!copy) return copy.error();

  const Work work{options, *copy, scratch->path(), std::move(*content)};
  constexpr std::chrono::minutes kMore{1};  // For the start, and to shorten what was found.
  const ChildTerms terms{
      .limit = options.limit + kMore, .stop_fd = options.stop_fd, .on_progress = observer};
  ChildRun run =
      run_in_child(terms, [&](const CheckReporter& reporter) { explore_in_child(work, reporter); });
  if (run.end == ChildRun::End::kStopped) return Status(Code::kCancelled, "stopped");
  if (!run.warnings.empty()) return Status(Code::kConflict, run.warnings.front());
  if (!run.failures.empty()) return Status(Code::kInvalid, run.failure_lines());
  Exploration out;
  out.plugin = judged->declaration.name;
  out.version = judged->declaration.version;
  out.digest = file->digest;
  take_report(work, out);
  out.failure = failure_of(run);
  if (!out.failure.empty()) out.output = std::move(run.output);
  return out;
}

}  // namespace davit::host
