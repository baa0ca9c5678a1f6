/// A HostProcess from its start to a signal: what commands that run controllers share.
#pragma once

#include <memory>
#include <optional>

#include "host/process/host_process.hpp"
#include "host/process/interruptions.hpp"
#include "host/process/start_watch.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Starts the host and ends the watch. Nothing when the host runs; else it was stopped, and this is
/// the exit code.
[[nodiscard]] std::optional<int> start_host(HostProcess& host, std::unique_ptr<StartWatch> watch,
                                            LogSink& sink);

/// Runs a started host until something happens, and stops it; returns the exit code. Blocks.
/// Notifies the service manager that NOTIFY_SOCKET names, every second for its watchdog.
[[nodiscard]] int serve(HostProcess& host, const Interruptions& interruptions, LogSink& sink);

}  // namespace davit::host
