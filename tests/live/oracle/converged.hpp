/// Whether controllers and nodes have nothing left to do, as far as the objects show it.
#pragma once

#include <string>
#include <vector>

#include "tests/live/oracle/world.hpp"

namespace davit::oracle {

/// Whether the scenario has it that no controller works on an object: its annotation
/// "oracle.davit.dev/controller" is "none".
[[nodiscard]] bool has_no_controller(const Json& object);

/// Why the objects of a namespace are still on their way; empty when they are not. A server or
/// node that is merely slow looks like rest to a clock, but not to this. Pure.
[[nodiscard]] std::string why_not_converged(const std::vector<Life>& lives, Slices slices);

}  // namespace davit::oracle
