/// A HostProcess from its start to a signal: what commands that run controllers share.
#pragma once

#include <optional>
#include <stop_token>
#include <thread>

#include "host/base/log.hpp"
#include "host/cli/host_process.hpp"
#include "host/cli/interruptions.hpp"

namespace davit::host {

/// Ends the process at once, without destructors: something hangs or must not go on.
[[noreturn]] void leave(LogSink& sink);

/// Signals while a host starts. They end the waits of the start (stopping()); what then still
/// hangs, a plugin's constructor or InitFunc, is given a moment and ends with the process.
class StartWatch {
 public:
  /// Both references must outlive it.
  StartWatch(const Interruptions& interruptions, LogSink& sink);

  [[nodiscard]] std::stop_token stopping() const { return stopping_.get_token(); }

 private:
  void watch(const std::stop_token& started);

  const Interruptions& interruptions_;
  LogSink& sink_;
  std::stop_source stopping_;
  std::jthread thread_;  // Last: it uses the others.
};

/// Starts the host and ends the watch. Nothing when the host runs; else it was stopped, and this is
/// the exit code.
[[nodiscard]] std::optional<int> start_host(HostProcess& host, std::optional<StartWatch>& watch,
                                            LogSink& sink);

/// Runs a started host until something happens, and stops it; returns the exit code. Blocks.
[[nodiscard]] int serve(HostProcess& host, const Interruptions& interruptions, LogSink& sink);

}  // namespace davit::host
