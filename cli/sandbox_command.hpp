/// `davit sandbox`: an API server with simulated nodes and controllers, until interrupted.
#pragma once

#include <iosfwd>

#include "cli/sandbox_options.hpp"

namespace davit::host {

/// Prints where it is and the line that points kubectl to it, and runs until a signal. 0 after one,
/// 1 when the address or the data file cannot be had, 2 for a mistake of the user's; then one line
/// on `err`. Blocks.
[[nodiscard]] int run_sandbox(const SandboxOptions& options, std::ostream& out, std::ostream& err);

}  // namespace davit::host
