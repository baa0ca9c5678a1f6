/// The plays of a scenario by kube-controller-manager, as a file of tests/golden/oracle.
///
/// The file has one fact a line, below the rests and plays that show it; no mention of plays means
/// all of them. Objects that occur more than once, or almost, are written once: the first time in
/// full, then as a merge patch of the one that is most alike. Equal plays give equal bytes.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/live/oracle/play.hpp"

namespace davit::oracle {

struct Recording {
  std::string steps;        ///< Scenario::digest of the scenario that was played.
  std::vector<Play> plays;  ///< Those that differ from one another, in order.
};

/// A recording of these plays, of which equal ones count once.
[[nodiscard]] Recording recording_of(const Scenario& scenario, std::vector<Play> plays);

/// The text of a file. `release`: of kube-controller-manager, "v1.36".
[[nodiscard]] std::string text_of(const Recording& recording, const std::string& scenario,
                                  const std::string& release);
/// kInvalid with the line of the first mistake, also if a byte is missing or was changed.
[[nodiscard]] Result<Recording> read_recording(std::string_view text);

/// "<folder>/v1.36/<scenario>.txt"
[[nodiscard]] std::string recording_file(const std::string& folder, const std::string& release,
                                         const std::string& scenario);
/// The recording of `scenario`. The error names the file and says what to do: it is missing or
/// damaged, or the scenario was changed since.
[[nodiscard]] Result<Recording> load_recording(const std::string& folder,
                                               const std::string& release,
                                               const Scenario& scenario);

}  // namespace davit::oracle
