/// The part of a scenario's course that the comparison is about, as data.
#pragma once

#include <string>
#include <vector>

#include "tests/live/oracle/picture.hpp"
#include "tests/live/oracle/stage.hpp"

namespace davit::oracle {

/// One play of a scenario, normalised: two plays are alike if and only if these are equal.
struct Play {
  std::vector<Picture> rests;  ///< At each `rest` step; with Compare::kEnds at the last one only.
  Record history;              ///< Empty with Compare::kEnds, as are the events.
  Record events;

  friend auto operator<=>(const Play&, const Play&) = default;
};

[[nodiscard]] Play play_of(const Scenario& scenario, const Transcript& transcript,
                           const KnownDifferences& known);

/// The differences of `ours` from `original`, one line each, with the place in the scenario.
[[nodiscard]] std::vector<std::string> differences(const Scenario& scenario, const Play& original,
                                                   const Play& ours);

/// A play, and why it did not come to its end; such a play shows nothing.
struct Course {
  Play play;
  std::vector<std::string> failures;
};

/// The key is the scenario's name.
using Courses = std::map<std::string, Course>;

}  // namespace davit::oracle
