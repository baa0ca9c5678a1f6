#include "host/process/host_life.hpp"

#include <chrono>
#include <cstdlib>
#include <utility>

#include "host/process/exit_codes.hpp"
#include "lib/base/service_notify.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {

std::optional<int> start_host(HostProcess& host, std::unique_ptr<StartWatch> watch, LogSink& sink) {
  const Status started = host.start(watch->stopping());
  const std::stop_token stopping = watch->stopping();
  // Before the question: a signal that the watch took must not be lost.
  watch.reset();
  const bool stopped = stopping.stop_requested();
  if (!stopped && started.ok()) return std::nullopt;
  if (!stopped) Logger(sink).error("command failed", {{"err", started.message()}});
  if (!host.stop()) leave(sink);
  return stopped ? kExitGood : kExitFailed;
}

int serve(HostProcess& host, const Interruptions& interruptions, LogSink& sink) {
  constexpr std::chrono::milliseconds kTick{1000};
  const Logger log(sink);
  const char* const manager = std::getenv("NOTIFY_SOCKET");
  const ServiceNotify service(manager == nullptr ? "" : manager);
  service.ready();
  for (;;) {
    const Interruptions::What what = interruptions.wait(kTick);
    if (what == Interruptions::What::kNothing && !host.has_seen_a_restore()) {
      host.tick();
      service.alive();
      continue;
    }
    if (what == Interruptions::What::kLostLease) {
      log.error("leaderelection lost");
      leave(sink);
    }
    break;
  }
  service.stopping();
  // The memory of the controllers is about a history that the server no longer has.
  const bool has_seen_a_restore = host.has_seen_a_restore();
  if (!has_seen_a_restore) log.info(0, "Requested to terminate. Exiting.");
  // A second signal, or the loss of the lease in between, does not wait for anything.
  const UniqueFd stopped = make_event();
  std::jthread second_signal;
  const auto watch = [&](const std::stop_token& stop) {
    const std::stop_callback wake(stop, [&stopped] { signal_event(stopped); });
    const Interruptions::What what = interruptions.wait(Interruptions::kNoLimit, stopped);
    if (what != Interruptions::What::kNothing) leave(sink);
  };
  if (!stopped.valid() || !start_thread(second_signal, "signals", watch)) {
    log.warning(
        "Cannot start a thread that watches for a second signal: a second signal will be ignored");
  }
  if (!host.stop()) leave(sink);
  // The watch may have ended with the stop before it saw the loss.
  return interruptions.has_lost_lease() || has_seen_a_restore ? kExitFailed : kExitGood;
}

}  // namespace davit::host
