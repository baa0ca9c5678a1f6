/// Whether the plays of a scenario went as kube-controller-manager's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/live/oracle/play.hpp"
#include "tests/live/oracle/recording.hpp"
#include "tests/live/oracle/side.hpp"

namespace davit::oracle {

/// All that was found out about scenarios.
struct Findings {
  /// kube-controller-manager's recorded plays by scenario; the error says why there are none.
  std::map<std::string, Result<Recording>> recordings;
  /// Whether the recordings are of the release of the real server at hand, if there is one.
  bool recordings_are_of_server = true;
  /// kube-controller-manager's plays of today, each time of all or some scenarios; may be none.
  std::vector<Courses> originals;
  std::map<Cast, Courses> ours;
};

/// The failures of each scenario, one a line, by its name. kube-controller-manager has races, so
/// davit's play is right if it equals a recorded play or one of today, and a recording holds if one
/// of today's plays equals one of its plays.
using Verdicts = std::map<std::string, std::vector<std::string>>;
[[nodiscard]] Verdicts judged(const std::vector<Scenario>& scenarios, const Findings& findings);

}  // namespace davit::oracle
