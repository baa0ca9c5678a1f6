/// One run of a scenario.
#pragma once

#include "testing/explore/plan.hpp"
#include "testing/explore/scenario.hpp"
#include "testing/explore/subject.hpp"
#include "testing/explore/world.hpp"

namespace davit::explore {

/// Plays a scenario with the decisions of `plan`, and judges the run by the undisturbed one; null:
/// this is it. Deterministic, on one thread: nothing of the machine, no wall clock and no address
/// decides.
[[nodiscard]] RunResult play(const Scenario& scenario, const Subject& subject, const Plan& plan,
                             const RunResult* undisturbed);

}  // namespace davit::explore
