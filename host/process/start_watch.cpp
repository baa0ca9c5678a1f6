#include "host/process/start_watch.hpp"

#include <cstdlib>

#include "host/crash/crash_handler.hpp"
#include "host/process/exit_codes.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {

void leave(LogSink& sink) {
  sink.flush();
  CrashHandler::end_life();
  std::_Exit(kExitFailed);
}

StartWatch::StartWatch(const Interruptions& interruptions, LogSink& sink,
                       std::chrono::milliseconds grace)
    : interruptions_(interruptions), sink_(sink), grace_(grace), started_(make_event()) {}

Result<std::unique_ptr<StartWatch>> StartWatch::open(const Interruptions& interruptions,
                                                     LogSink& sink,
                                                     std::chrono::milliseconds grace) {
  constexpr const char* kWhat = "cannot watch for signals: ";
  auto watch = std::make_unique<StartWatch>(interruptions, sink, grace);
  if (!watch->started_.valid()) {
    return Status(Code::kUnavailable, std::string(kWhat) + "cannot create a descriptor");
  }
  const auto run = [self = watch.get()](const std::stop_token& started) { self->watch(started); };
  if (start_thread(watch->thread_, "signals", run)) return watch;
  return Status(Code::kUnavailable, std::string(kWhat) + "cannot start a thread");
}

void StartWatch::watch(const std::stop_token& started) {
  const std::stop_callback wake(started, [this] { signal_event(started_); });
  // The election is the last step of a start: serve() ends a host that has lost its lease.
  const Interruptions::What what = interruptions_.wait(Interruptions::kNoLimit, started_);
  if (what != Interruptions::What::kSignal) return;
  stopping_.request_stop();
  (void)interruptions_.wait(grace_, started_);
  if (started.stop_requested()) return;
  Logger(sink_).error("Requested to terminate, but startup has not finished. Exiting.");
  leave(sink_);
}

}  // namespace davit::host
