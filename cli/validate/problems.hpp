/// The mistakes of controllers while a check plays with the cluster. Internal to cli/validate.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/validate/check_functions.hpp"
#include "cli/validate/cluster_play.hpp"
#include "host/run/code_name.hpp"

namespace davit::host {

/// The changes of each ordinary object.
inline constexpr int kTouches = 3;

/// Syncs that failed for one reason.
struct FailedSyncs {
  std::size_t times = 0;
  std::string key;  ///< That of the first one.
};

/// The controllers' mistakes, by type.
struct Problems {
  std::map<std::string, int> violations;  // Breaches of the contract.
  std::map<std::string, int> undeclared;  // Requests and reads.
  std::map<std::string, int> stale;       // Uses of handles that had ended.
  std::map<std::string, FailedSyncs> failures;

  std::vector<std::string> samples;  // Why they are not what a server takes.

  /// Everything since the last time.
  void take_from(TrialHost& host) {
    TrialBreaches breaches = host.take_breaches();
    undeclared.merge(breaches.refusals);
    stale.merge(breaches.stale);
    for (const auto& [what, times] : breaches.misuses) violations[what] += times;
    for (const LoggedProblem& each : host.take_problems()) {
      const std::string why = each.error.empty() ? each.text : each.error;
      if (each.error.starts_with(kThrew)) {
        ++violations["an exception left the plugin's code: " + each.text];
      } else if (each.code.starts_with("unknown code")) {
        ++violations["a sync returned an " + each.code];
      } else if (each.code == code_name(DAVIT_MISUSE) || each.code == code_name(DAVIT_STALE)) {
        ++violations["a sync broke a rule of abi.h: " + why];
      } else if (!is_undeclared(each)) {  // The host has counted those as refusals.
        FailedSyncs& failed = failures[why];
        if (failed.times++ == 0) failed.key = each.key;
      }
    }
  }

 private:
  [[nodiscard]] bool is_undeclared(const LoggedProblem& problem) const {
    if (problem.message == "A request was refused before it was sent") return true;
    return problem.code == code_name(DAVIT_UNDECLARED) && !undeclared.empty();
  }
};

inline std::string counted(const std::pair<const std::string, int>& each) {
  constexpr std::size_t kShown = 400;
  std::string text = each.first.substr(0, kShown);
  return each.second == 1 ? text : text + " (" + std::to_string(each.second) + " times)";
}

inline std::string counted(const std::pair<const std::string, FailedSyncs>& each) {
  constexpr std::size_t kShown = 100;
  std::string text = counted(std::pair<const std::string, int>(each.first, 1));
  text += " (";
  if (each.second.times > 1) text += std::to_string(each.second.times) + " times, first ";
  return text + "key " + each.second.key.substr(0, kShown) + ")";
}

/// The most lines of one sort.
template <typename Problem, typename Report>
void report_all(const std::map<std::string, Problem>& problems, Report report) {
  constexpr int kMost = 5;
  int reported = 0;
  for (const auto& each : problems) {
    if (reported++ == kMost)
      return report("and " + std::to_string(problems.size() - kMost) + " more");
    report(counted(each));
  }
}

/// Objects come, change and go, and the controllers become idle each time.
inline void play_ordinary(TrialHost& host, const CheckReporter& reporter, Random& random,
                          Problems& problems) {
  reporter.step("ordinary objects are created");
  problems.samples = add_ordinary(host, random);
  wait_until_idle(host, reporter);
  for (int i = 0; i < kTouches; ++i) {
    reporter.step("ordinary objects change");
    touch_all(host, i);
    wait_until_idle(host, reporter);
  }
  reporter.step("all objects are deleted");
  remove_all(host);
  wait_until_idle(host, reporter);
  problems.take_from(host);
}

}  // namespace davit::host
