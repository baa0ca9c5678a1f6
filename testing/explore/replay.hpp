/// One line of text for a run, and the story of it.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "testing/explore/plan.hpp"
#include "testing/explore/scenario.hpp"
#include "testing/explore/subject.hpp"
#include "testing/explore/world.hpp"

namespace davit::explore {

/// "davit-explore/2 3f2a… rollout: request#3=crash-after@2": the form, the sum of plugins and
/// scenario, the scenario and what was decided.
[[nodiscard]] std::string replay_line(const Scenario& scenario, const Subject& subject,
                                      const Plan& plan);

/// The scenario that a line names; kInvalid when it is not such a line.
[[nodiscard]] Result<std::string> replayed_scenario(std::string_view line);
/// The decisions of a line. kInvalid: it is not one, or of another scenario. kConflict: it is of
/// another build of the plugins or scenario, with which its points need not be the same.
[[nodiscard]] Result<Plan> replayed_plan(std::string_view line, const Scenario& scenario,
                                         const Subject& subject);

/// The part of a run's log that shows its faults: decisions, changes of leaders, the requests
/// around them, and the violations.
[[nodiscard]] std::vector<std::string> story_of(const RunResult& run);

}  // namespace davit::explore
