/// `davit run`: the host itself.
#pragma once

#include "cli/options.hpp"
#include "host/control/control_service.hpp"
#include "host/process/host_process.hpp"

namespace davit::host {

/// Runs until a signal or a lost lease. Returns the exit code: 0 after a signal, 1 for a run-time
/// failure, 2 for bad configuration. Blocks.
/// The program of this process must be davit, which opens plugins for a trial.
[[nodiscard]] int run_host(const RunOptions& options);

/// The host's additions to the replies to `davit ctl`. `host` must outlive the result.
[[nodiscard]] ControlHooks control_hooks(HostProcess& host);

}  // namespace davit::host
