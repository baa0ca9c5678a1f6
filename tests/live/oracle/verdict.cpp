#include "tests/live/oracle/verdict.hpp"

#include <algorithm>

namespace davit::oracle {

namespace {

using Plays = std::vector<const Play*>;

/// Empty if this is one of these plays, else how it differs from the first; empty for no plays.
std::vector<std::string> unlike_all(const Scenario& scenario, const Play& ours,
                                    const Plays& plays) {
  const auto is_like = [&ours](const Play* each) { return *each == ours; };
  if (plays.empty() || std::ranges::any_of(plays, is_like)) return {};
  return differences(scenario, *plays.front(), ours);
}

/// Empty if one of these equals one of the recorded plays, else how the first differs.
std::vector<std::string> unlike_recorded(const Scenario& scenario, const Plays& today,
                                         const Plays& recorded) {
  for (const Play* each : today) {
    if (unlike_all(scenario, *each, recorded).empty()) return {};
  }
  return today.empty() ? std::vector<std::string>()
                       : unlike_all(scenario, *today.front(), recorded);
}

/// Judges one scenario.
class Judge {
 public:
  Judge(const Scenario& scenario, const Findings& findings)
      : scenario_(scenario), findings_(findings) {}

  [[nodiscard]] std::vector<std::string> verdict() {
    collect_recorded();
    collect_today();
    if (findings_.recordings_are_of_server) {
      add("kube-controller-manager is no longer as recorded",
          unlike_recorded(scenario_, today_, recorded_));
    }
    for (const auto& [cast, courses] : findings_.ours) {
      const auto found = courses.find(scenario_.name);
      if (found == courses.end()) continue;
      add(name_of(cast), found->second.failures);
      add(name_of(cast), unlike_all(scenario_, found->second.play, plays_for(cast)));
    }
    return std::move(out_);
  }

 private:
  void add(const std::string& who, const std::vector<std::string>& found) {
    for (const std::string& each : found) out_.push_back(who + ": " + each);
  }

  void collect_recorded() {
    const auto found = findings_.recordings.find(scenario_.name);
    if (found == findings_.recordings.end()) return;
    if (!found->second) {
      out_.push_back(found->second.error().message());
      return;
    }
    for (const Play& each : found->second->plays) recorded_.push_back(&each);
  }

  /// If no play came to its end, the first says why.
  void collect_today() {
    const Course* first = nullptr;
    for (const Courses& each : findings_.originals) {
      const auto found = each.find(scenario_.name);
      if (found == each.end()) continue;
      if (first == nullptr) first = &found->second;
      if (found->second.failures.empty()) today_.push_back(&found->second.play);
    }
    if (first != nullptr && today_.empty()) add("kube-controller-manager", first->failures);
  }

  /// The sandbox is as the server of the recordings, whichever real one is at hand.
  [[nodiscard]] Plays plays_for(Cast cast) const {
    Plays out;
    if (cast == Cast::kSandbox || findings_.recordings_are_of_server) out = recorded_;
    out.insert(out.end(), today_.begin(), today_.end());
    return out;
  }

  const Scenario& scenario_;
  const Findings& findings_;
  Plays recorded_;
  Plays today_;
  std::vector<std::string> out_;
};

}  // namespace

Verdicts judged(const std::vector<Scenario>& scenarios, const Findings& findings) {
  Verdicts out;
  for (const Scenario& each : scenarios) out[each.name] = Judge(each, findings).verdict();
  return out;
}

}  // namespace davit::oracle
