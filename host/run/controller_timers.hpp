/// The timers of one controller.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "host/run/controller_queue.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Must not throw. `failures`: how often in a row it has failed before. With DAVIT_OK the outcome's
/// `again` replaces the period.
using TimerFunction = std::function<SyncOutcome(std::stop_token cancelled, std::uint32_t failures)>;

enum class TimerId : std::uint32_t {};

struct TimerOptions {
  Duration first{0};   ///< From the start of the workers, or from start() if they run.
  Duration period{0};  ///< From the end of one run to the begin of the next; 0: once.
  TimerFunction fire = {};
  /// This timer's ReadGate; may be empty.
  std::function<std::optional<Time>()> gate = {};
};

/// Fires timers on separate workers. A timer that fails fires again with back-off, from one second
/// to its period, or to 1000 s without one. Timers are keys (their numbers) in a queue without a
/// name, so they follow the rules of workers: pause, cancellation, limit, gate. Thread-safe.
class ControllerTimers {
 public:
  /// See ControllerQueue.
  ControllerTimers(const Breadcrumb& crumb, RunnerMetrics& metrics, Clock& clock, Logger log,
                   Threads threads = Threads::kOwn);

  [[nodiscard]] TimerId start(TimerOptions options) EXCLUDES(mutex_);
  /// After this the timer does not begin again; a run in progress is not waited for. kNotFound when
  /// there is no such timer.
  Status stop(TimerId timer) EXCLUDES(mutex_);
  /// Fires a timer that its gate held back, or that it is just about to hold back.
  void caught_up(TimerId timer);

  /// The workers run: the times until the first run begin. Idempotent.
  void begin() EXCLUDES(mutex_);
  /// The runner pauses, waits for and reports it like the controller's own queues.
  [[nodiscard]] ControllerQueue& queue() { return queue_; }

 private:
  struct Timer {
    std::shared_ptr<const TimerOptions> options;
    bool armed = false;          // It is in queue_.
    std::uint32_t failures = 0;  // In a row.
  };

  [[nodiscard]] static ControllerQueueOptions queue_options(ControllerTimers& timers,
                                                            Threads threads);
  void arm(std::uint32_t id, Timer& timer) REQUIRES(mutex_);
  /// Nothing: it was stopped.
  [[nodiscard]] std::optional<Timer> find(std::string_view key) const EXCLUDES(mutex_);
  SyncOutcome run(std::string_view key, const std::stop_token& cancelled) EXCLUDES(mutex_);

  mutable Mutex mutex_;
  std::map<std::uint32_t, Timer> timers_ GUARDED_BY(mutex_);
  std::uint32_t next_ GUARDED_BY(mutex_) = 1;
  bool begun_ GUARDED_BY(mutex_) = false;

  ControllerQueue queue_;  // Last: its workers use all of the above.
};

}  // namespace davit::host
