#include "host/cli/host_life.hpp"

#include <chrono>
#include <cstdlib>

#include "host/cli/exit_codes.hpp"

namespace davit::host {

void leave(LogSink& sink) {
  sink.flush();
  std::_Exit(kExitFailed);
}

StartWatch::StartWatch(const Interruptions& interruptions, LogSink& sink)
    : interruptions_(interruptions),
      sink_(sink),
      thread_([this](const std::stop_token& started) { watch(started); }) {}

void StartWatch::watch(const std::stop_token& started) {
  constexpr std::chrono::milliseconds kLook{20};
  // Enough for every wait of a start to notice, little for a person who presses Ctrl-C.
  constexpr std::chrono::milliseconds kGrace{2000};
  std::chrono::milliseconds left = kGrace;
  while (!started.stop_requested()) {
    const bool is_signal = interruptions_.wait(kLook) == Interruptions::What::kSignal;
    const bool is_second = is_signal && !stopping_.request_stop();
    if (stopping_.stop_requested()) left -= kLook;
    if (!is_second && left > std::chrono::milliseconds(0)) continue;
    if (started.stop_requested()) return;
    Log(sink_).error("Requested to terminate, and the start does not end. Exiting.");
    leave(sink_);
  }
}

std::optional<int> start_host(HostProcess& host, std::optional<StartWatch>& watch, LogSink& sink) {
  const Status started = host.start(watch->stopping());
  const bool stopped = watch->stopping().stop_requested();
  watch.reset();
  if (!stopped && started.ok()) return std::nullopt;
  if (!stopped) Log(sink).error("command failed", {{"err", started.message()}});
  if (!host.stop()) leave(sink);
  return stopped ? kExitGood : kExitFailed;
}

int serve(HostProcess& host, const Interruptions& interruptions, LogSink& sink) {
  constexpr std::chrono::milliseconds kTick{1000};
  const Log log(sink);
  for (;;) {
    const Interruptions::What what = interruptions.wait(kTick);
    if (what == Interruptions::What::kNothing) {
      host.tick();
      continue;
    }
    if (what == Interruptions::What::kLostLease) {
      log.error("leaderelection lost");
      leave(sink);
    }
    break;
  }
  log.info(0, "Requested to terminate. Exiting.");
  // A second signal, or the loss of the lease meanwhile, does not wait for anything.
  const std::jthread impatience([&](const std::stop_token& done) {
    constexpr std::chrono::milliseconds kLook{50};
    while (!done.stop_requested()) {
      if (interruptions.wait(kLook) != Interruptions::What::kNothing) leave(sink);
    }
  });
  if (!host.stop()) leave(sink);
  return kExitGood;
}

}  // namespace davit::host
