/// `davit run`: the host itself.
#pragma once

#include "host/cli/options.hpp"

namespace davit::host {

/// Runs until a signal or a lost lease. Returns the exit code: 0 after a signal, 1 for a run-time
/// failure, 2 for bad configuration. Blocks.
[[nodiscard]] int run_host(const RunOptions& options);

}  // namespace davit::host
