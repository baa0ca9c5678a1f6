/// Runs one controller: its handlers on a dispatcher, its syncs on workers, its timers.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "host/run/breadcrumb.hpp"
#include "host/run/controller_queue.hpp"
#include "host/run/controller_timers.hpp"
#include "host/run/delta_dispatcher.hpp"
#include "host/run/runner_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

struct RunnerOptions {
  std::string controller = {};  ///< "deployment-controller"
  std::string plugin = {};
  std::string build_id = {};
  std::uint64_t generation = 1;
  /// A sync, timer or handler that takes longer is reported. Far above any sync that makes
  /// progress: one API call ends after 40 s.
  Duration sync_limit = std::chrono::seconds(60);
  Threads threads = Threads::kOwn;
};

/// The deadlines for running syncs.
struct Quiesce {
  Time cancel_at;   ///< Then their tokens are cancelled; Time::max(): never.
  Time give_up_at;  ///< Then the wait ends, whether or not they returned.
};

/// Life:  open queues and timers → start() → begin_syncing() → (pause() → resume())* → stop().
/// Keys are taken in from the first moment and wait until the workers may run: when begin_syncing()
/// was called and the handlers have seen the first content of the caches. Threads are started when
/// there is work for them. All functions are thread-safe. Nothing of the controller is called under
/// a lock.
class ControllerRunner {
 public:
  /// `deltas` may be null: the controller watches nothing. References outlive
  /// the runner.
  ControllerRunner(RunnerOptions options, DeltaSource* deltas, RunnerMetrics& metrics, Clock& clock,
                   Logger log);
  /// Stops. Waits for a sync that does not end: after a failed stop() leave the process without
  /// destroying.
  ~ControllerRunner();

  /// A queue whose workers this runs; it lives as long as this. Only the runner pauses, resumes and
  /// ends it. A key that is added after stop() is dropped.
  [[nodiscard]] ControllerQueue& open_queue(ControllerQueueOptions options) EXCLUDES(mutex_);
  [[nodiscard]] ControllerTimers& timers() { return timers_; }

  /// Starts to deliver changes to the handlers. Once.
  void start() EXCLUDES(mutex_);

  /// The work of one step.
  enum class Work { kChange, kTimer, kSync };
  /// Calls a handler, a timer or a sync on the calling thread; false when there is nothing to do. A
  /// key that its gate puts aside counts as done. Only with Threads::kNone, from one thread.
  bool step(Work what) EXCLUDES(mutex_);
  /// When a delayed key or a timer is due; nothing when none waits for a time.
  [[nodiscard]] std::optional<Time> next_due() const EXCLUDES(mutex_);

  /// Leadership is won, or not needed: lets the workers run as soon as the feed is ready.
  /// Idempotent.
  void begin_syncing() EXCLUDES(mutex_);

  /// Hands out no key and fires no timer until resume(), and waits for what runs. Returns whether
  /// all of it ended. Keys are still taken in, changes still delivered.
  bool pause(const Quiesce& wait) EXCLUDES(mutex_);
  /// Ends a pause(): keys are handed out and timers fire again. Idempotent.
  void resume() EXCLUDES(mutex_);

  /// Starts no sync and no timer until end_suspension(), regardless of pause() and resume(): a call
  /// that must run alone in the controller is in progress. overdue() names it.
  void suspend(std::string_view call) EXCLUDES(mutex_);
  /// The call has ended. Ignored without suspend().
  void end_suspension() EXCLUDES(mutex_);
  /// Whether it is between suspend() and end_suspension().
  [[nodiscard]] bool is_suspended() const EXCLUDES(mutex_);

  /// Keys that wait for a worker, of all queues.
  [[nodiscard]] std::size_t waiting() const EXCLUDES(mutex_);

  /// The controller's use of the processor, and its work on hand.
  struct Use {
    Duration cpu{0};          ///< CPU time of the threads that it has had since it was started.
    std::size_t waiting = 0;  ///< Keys that wait for a worker, of all queues.
    std::size_t delayed = 0;  ///< Keys that wait for a time, timers not included.
    std::size_t running = 0;  ///< Keys whose sync runs.
    std::size_t pending_changes = 0;  ///< Changes of the cluster that wait for its handlers.
    std::size_t backing_off = 0;      ///< Keys of all queues whose back-off has not ended.
    std::size_t failing = 0;          ///< The size of failing().
  };
  [[nodiscard]] Use use() const EXCLUDES(mutex_);
  /// The keys of all queues that fail, and the timers.
  [[nodiscard]] FailingList failing() const EXCLUDES(mutex_);

  /// Whether the controller continues in another runner.
  enum class Successor { kNone, kRuns };
  /// Ends dispatching, drops what is queued, waits for what runs. Returns whether all of it ended.
  /// The end of a controller without successor is reported. Idempotent.
  bool stop(const Quiesce& wait, Successor successor = Successor::kNone) EXCLUDES(mutex_);

  /// Whether begin_syncing() was called.
  [[nodiscard]] bool has_begun() const EXCLUDES(mutex_);
  /// Whether the workers may run: nothing holds them up.
  [[nodiscard]] bool is_running() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return holds_ == 0;
  }
  /// The handlers have seen the first content of the caches.
  [[nodiscard]] bool caches_ready() const { return !dispatcher_ || dispatcher_->ready(); }
  /// Waits, after start(), until the handlers have seen the first content; false when `deadline`
  /// or a stop comes first.
  [[nodiscard]] bool wait_caches(Time deadline, const std::stop_token& stop = {}) EXCLUDES(mutex_);

  /// kUnavailable naming the syncs, timers and the handler that have been running for at least
  /// `limit`, or the call that suspends syncs, if that has been running for `suspended`.
  [[nodiscard]] Status overdue(Duration limit, Duration suspended = Duration::zero()) const
      EXCLUDES(mutex_);
  /// The same for RunnerOptions::sync_limit.
  [[nodiscard]] Status overdue() const EXCLUDES(mutex_) {
    return overdue(options_.sync_limit, options_.sync_limit);
  }
  /// Logs each call that is beyond RunnerOptions::sync_limit once, and writes the gauges. Call it
  /// every few seconds and before each scrape.
  void report() EXCLUDES(mutex_);

 private:
  /// Why the workers may not run; they run when none of these is left.
  enum Hold : unsigned {
    kNotStarted = 1,
    kNotLeading = 2,
    kCachesFilling = 4,
    kPaused = 8,
    kStopped = 16,
    kSuspended = 32,
  };

  /// Unless there are no threads, or it runs.
  void start_dispatcher() REQUIRES(mutex_);
  void hold(Hold why) EXCLUDES(mutex_);
  void lift(Hold why) EXCLUDES(mutex_);
  bool quiesce(const Quiesce& wait) EXCLUDES(mutex_);
  [[nodiscard]] std::vector<ControllerQueue*> queues() const EXCLUDES(mutex_);

  // Fixed after construction.
  const RunnerOptions options_;
  RunnerMetrics& metrics_;
  Clock& clock_;
  const Logger log_;
  const Breadcrumb crumb_;  // Views of options_.

  mutable Mutex mutex_;
  CondVar filled_;  // kCachesFilling was lifted.
  unsigned holds_ GUARDED_BY(mutex_) = kNotStarted | kNotLeading | kCachesFilling;
  std::string suspending_call_ GUARDED_BY(mutex_);  // While kSuspended.
  Time suspended_since_ GUARDED_BY(mutex_){};
  std::vector<std::unique_ptr<ControllerQueue>> opened_ GUARDED_BY(mutex_);  // Entries stay.
  std::vector<ControllerQueue*> queues_ GUARDED_BY(mutex_);  // Those, and at the end the timers'.

  // Each has its own lock, taken after mutex_.
  ControllerTimers timers_;
  std::optional<DeltaDispatcher> dispatcher_;  // Unless the controller watches nothing.
};

}  // namespace davit::host
