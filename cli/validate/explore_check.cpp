/// The check that explores a plugin for a few seconds.
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>

#include "cli/validate/check_functions.hpp"
#include "cli/validate/made_scenario.hpp"
#include "lib/base/clock.hpp"
#include "testing/explore/explorer.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Spread over all points, and few enough for most plugins to have them all in time; `davit plugin
/// explore` has the others.
constexpr std::size_t kRunsMax = 250;
constexpr std::size_t kFindingsShown = 3;
/// A run takes milliseconds: a call of one that takes so long has no end.
constexpr seconds kRunLimit{20};
/// The check ends so long after its last run could begin, even if the findings are not as short as
/// they could be.
constexpr seconds kEndAfter{30};
/// It ends so long before its child is ended, which would be a failure.
constexpr seconds kSpare{5};

constexpr char kMore[] = "; davit plugin explore also tries the others";

std::string played(std::size_t runs, std::size_t possible) {
  return std::to_string(runs) + " of " + std::to_string(possible) + " runs were played";
}

/// The time from the child's start in which the check ends.
milliseconds whole_time(const Subject& subject) {
  return std::min<milliseconds>(subject.explored + kEndAfter,
                                std::max(subject.limit - kSpare, subject.limit / 2));
}

/// The line that ends the check from a signal handler. A process has one set of handlers; written
/// while the alarm is off.
struct LastLine {
  const CheckReporter* reporter = nullptr;
  std::string line;
};
LastLine& last_line() {
  static LastLine last;
  return last;
}

void on_alarm(int /*signal*/) {
  last_line().reporter->write_line(last_line().line);
  last_line().reporter->write_line("done \n");
  _exit(0);
}

/// Ends the child if a run does not end, or the check does not.
class Watchdog {
 public:
  /// The check ends `whole` after `start`.
  Watchdog(const CheckReporter& reporter, Clock& clock, Time start, milliseconds whole)
      : clock_(clock),
        end_(start + whole),
        run_limit_(std::min<milliseconds>(kRunLimit, whole / 2)) {
    last_line().reporter = &reporter;
    struct sigaction action {};
    action.sa_handler = on_alarm;
    ::sigaction(SIGALRM, &action, nullptr);
  }

  void begin_run(const std::string& plan, std::size_t runs) {
    end();
    const auto left = std::chrono::duration_cast<milliseconds>(end_ - clock_.now());
    if (left < run_limit_) {
      last_line().line = "note the time is over after " + std::to_string(runs) + " runs" + kMore;
    } else {
      last_line().line = "fail a call has not returned (the explored run " + plan + ")";
    }
    last_line().line += '\n';
    arm(std::clamp(left, milliseconds(1), run_limit_));
  }
  void end() { arm(milliseconds(0)); }

 private:
  /// 0: no alarm.
  static void arm(milliseconds after) {
    const auto whole = std::chrono::duration_cast<seconds>(after);
    itimerval timer{};
    timer.it_value.tv_sec = whole.count();
    timer.it_value.tv_usec = std::chrono::microseconds(after - whole).count();
    ::setitimer(ITIMER_REAL, &timer, nullptr);
  }

  Clock& clock_;
  const Time end_;
  const milliseconds run_limit_;
};

/// Whether the scenario could not be played.
bool is_unplayed(const explore::Finding& finding) {
  return !finding.violations.empty() && finding.violations.front().oracle == "scenario";
}

void warn(const explore::Finding& finding, const CheckReporter& reporter) {
  if (finding.violations.empty()) return;
  const explore::Violation& first = finding.violations.front();
  // Objects that are guessed may be such that no server takes a change of them.
  if (is_unplayed(finding)) return reporter.note("nothing is explored: " + first.text);
  reporter.warn(std::string(mistake_of(finding.plan)) + " (" + to_text(finding.plan) +
                "): " + first.oracle + ": " + first.text +
                (finding.repeats ? "" : "; played again, it has not failed"));
}

void note_coverage(const explore::Summary& summary, const CheckReporter& reporter) {
  if (summary.points == 0 && summary.findings.empty()) {
    return reporter.note("no controller does anything with ordinary objects: nothing is explored");
  }
  if (!summary.findings.empty() && is_unplayed(summary.findings.front())) return;
  if (!summary.findings.empty()) {
    reporter.note("davit plugin explore shows such a run step by step");
  }
  if (summary.runs < summary.possible) {
    reporter.note(played(summary.runs, summary.possible) + kMore);
  }
}

}  // namespace

void check_explore(const Subject& subject, const CheckReporter& reporter) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  const Time start = clock->now();
  reporter.step("making a scenario of what it watches");
  const Result<explore::Scenario> scenario =
      made_scenario(subject.file, subject.scratch, subject.content);
  if (!scenario) return reporter.note("nothing is explored: " + scenario.error().message());
  explore::OpenPlugins plugins;
  if (Status s = plugins.open(subject.file); !s.ok()) return reporter.fail_lines(s.message());
  const Result<explore::Subject> explored = configured_subject(plugins, *scenario, subject.content);
  if (!explored) return reporter.fail_lines(explored.error().message());

  const milliseconds whole = whole_time(subject);
  const Time end = std::min(clock->now() + subject.explored, start + whole);
  Watchdog watchdog(reporter, *clock, start, whole);
  std::size_t runs = 0;
  explore::ExplorerOptions options;
  options.stale = false;
  options.seed = subject.seed;
  options.runs_max = kRunsMax;
  options.findings_max = kFindingsShown;
  options.before_run = [&](const explore::Plan& plan) {
    reporter.step("the explored run " + to_text(plan));
    watchdog.begin_run(to_text(plan), runs);
  };
  options.on_finding = [&](const explore::Finding& finding) { warn(finding, reporter); };
  options.go_on = [&](std::size_t so_far) {
    runs = so_far;
    reporter.progress(std::to_string(runs) + " runs");
    return clock->now() < end;
  };
  const explore::Summary summary = explore::Explorer(*scenario, *explored, *clock).explore(options);
  watchdog.end();
  note_coverage(summary, reporter);
  // The plugin's threads must not meet destructors.
  reporter.leave();
}

}  // namespace davit::host
