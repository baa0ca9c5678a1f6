/// Runs one controller: its handlers on a dispatcher, its syncs on workers, its timers.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/run/breadcrumb.hpp"
#include "host/run/controller_queue.hpp"
#include "host/run/runner_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Delivers the changes of the cluster to a controller. Called on the runner's dispatcher thread,
/// but for ready().
class DeltaSource {
 public:
  DeltaSource() = default;
  DeltaSource(const DeltaSource&) = delete;
  DeltaSource& operator=(const DeltaSource&) = delete;
  virtual ~DeltaSource() = default;

  /// Waits for a change. Returns also, with false when there is none, when `stop` is requested or
  /// ready() may have become true.
  virtual bool wait(std::stop_token stop) = 0;
  /// Calls the controller's handler with the change that wait() returned for.
  virtual void deliver() = 0;
  /// Every cache that the controller asked for is filled and the handlers have seen each object
  /// once. Once true it stays true. Thread-safe, does not block.
  [[nodiscard]] virtual bool ready() const = 0;
};

/// Must not throw.
using TimerFunction = std::function<void(std::stop_token cancelled)>;

enum class QueueId : std::uint32_t {};
enum class TimerId : std::uint32_t {};

struct TimerOptions {
  Duration first{0};   ///< From the start of the workers, or from start_timer() if they run.
  Duration period{0};  ///< From the end of one run to the begin of the next; 0: once.
  TimerFunction fire = {};
  /// This timer's ReadGate; may be empty.
  std::function<std::optional<Time>()> gate = {};
};

struct RunnerOptions {
  std::string controller = {};  ///< "deployment-controller"
  std::string plugin = {};
  std::string build_id = {};
  std::uint64_t generation = 1;
  /// A sync, timer or handler that takes longer is reported. Far above any sync that makes
  /// progress: one API call ends after 40 s.
  Duration sync_limit = std::chrono::seconds(60);
};

/// How long to wait for running syncs.
struct Quiesce {
  Time cancel_at;   ///< Then their tokens are cancelled; Time::max(): never.
  Time give_up_at;  ///< Then the wait ends, whether or not they returned.
};

/// Life:  open queues and timers → start() → begin_syncing() → (pause() → resume())* → stop().
/// Keys are taken in from the first moment and wait until the workers may run: when begin_syncing()
/// was called and the feed is ready. Threads are started when there is work for them. All functions
/// are thread-safe; add() and its kin never block. Nothing of the controller is called under a
/// lock.
class ControllerRunner {
 public:
  /// `deltas` may be null: the controller watches nothing. References outlive
  /// the runner.
  ControllerRunner(RunnerOptions options, DeltaSource* deltas, RunnerMetrics& metrics, Clock& clock,
                   Logger log);
  /// Stops. Waits for a sync that does not end: after a failed stop() leave the process without
  /// destroying.
  ~ControllerRunner();

  [[nodiscard]] QueueId open_queue(ControllerQueueOptions options) EXCLUDES(mutex_);

  /// kMisuse for a queue that was never opened. A key added after stop() is dropped.
  Status add(QueueId queue, const QueueKey& key) EXCLUDES(mutex_);
  Status add_after(QueueId queue, const QueueKey& key, Duration delay) EXCLUDES(mutex_);
  Status add_rate_limited(QueueId queue, const QueueKey& key) EXCLUDES(mutex_);
  Status forget(QueueId queue, std::string_view key) EXCLUDES(mutex_);
  [[nodiscard]] std::uint32_t failures(QueueId queue, std::string_view key) const EXCLUDES(mutex_);

  /// Adds a key that the queue's ReadGate held back, or that it is just about to hold back.
  Status caught_up(QueueId queue, std::string_view key) EXCLUDES(mutex_);
  /// The same for a timer that its gate held back.
  void caught_up(TimerId timer) {
    timer_queue_->caught_up(std::to_string(static_cast<std::uint32_t>(timer)));
  }

  [[nodiscard]] TimerId start_timer(TimerOptions options) EXCLUDES(mutex_);
  /// After this the timer does not begin again; a run in progress is not waited for. kNotFound when
  /// it is not there.
  Status stop_timer(TimerId timer) EXCLUDES(mutex_);

  /// Starts to deliver changes to the handlers. Once.
  void start() EXCLUDES(mutex_);
  /// Leadership is won, or not needed: lets the workers run as soon as the feed is ready.
  /// Idempotent.
  void begin_syncing() EXCLUDES(mutex_);

  /// Hands out no key and fires no timer until resume(), and waits for what runs. Returns whether
  /// all of it ended. Keys are still taken in, changes still delivered.
  bool pause(const Quiesce& wait) EXCLUDES(mutex_);
  /// Ends a pause(): keys are handed out and timers fire again. Idempotent.
  void resume() EXCLUDES(mutex_);

  /// Hands out no key and fires no timer until end_rest(), whatever pause() and resume() say: a
  /// call into the controller goes on beside which nothing of it may run. overdue() names it.
  void begin_rest(std::string_view call) EXCLUDES(mutex_);
  /// The call has ended. Ignored without begin_rest().
  void end_rest() EXCLUDES(mutex_);
  /// Whether it is between begin_rest() and end_rest().
  [[nodiscard]] bool resting() const EXCLUDES(mutex_);

  /// Takes what the queue holds; only after pause() returned true, before resume().
  [[nodiscard]] QueueContent take_content(QueueId queue) EXCLUDES(mutex_);
  /// Goes on with what a queue of another runner held, see WorkQueue; only before begin_syncing().
  void adopt(QueueId queue, QueueContent& content) EXCLUDES(mutex_);
  /// Keys that wait for a worker, of all queues.
  [[nodiscard]] std::size_t waiting() const EXCLUDES(mutex_);

  /// Ends dispatching, drops what is queued, waits for what runs. Returns whether all of it ended.
  /// Idempotent.
  bool stop(const Quiesce& wait) EXCLUDES(mutex_);
  /// Same as stop(), but the controller continues in another runner, so its end is not reported.
  bool retire(const Quiesce& wait) EXCLUDES(mutex_);

  /// The workers may run: caches filled, begin_syncing() called, not paused, not stopped.
  [[nodiscard]] bool syncing() const EXCLUDES(mutex_);
  /// The feed is ready.
  [[nodiscard]] bool caches_ready() const { return deltas_ == nullptr || deltas_->ready(); }
  /// Waits, after start(), until the handlers have seen the first content; false when `deadline`
  /// comes first.
  [[nodiscard]] bool wait_caches(Time deadline) EXCLUDES(mutex_);

  /// kUnavailable naming key and time when a sync, a timer or a handler is beyond its limit.
  [[nodiscard]] Status health() const { return overdue(options_.sync_limit); }
  /// kUnavailable naming those that have been running for at least `limit`.
  [[nodiscard]] Status overdue(Duration limit) const EXCLUDES(mutex_);
  /// Logs each of those once, and writes the gauges. Call it every few
  /// seconds and before each scrape.
  void report() EXCLUDES(mutex_);

  [[nodiscard]] const std::string& controller() const { return options_.controller; }

 private:
  struct Timer {
    std::shared_ptr<const TimerOptions> options;
    bool armed = false;  // It is in timer_queue_.
  };
  /// Why the workers may not run; they run when none of these is left.
  enum Hold : unsigned {
    kNotStarted = 1,
    kNotLeading = 2,
    kCachesFilling = 4,
    kPaused = 8,
    kStopped = 16,
    kResting = 32,
  };

  /// Unless it runs. Without a thread report() tries again.
  void start_dispatcher() REQUIRES(mutex_);
  void dispatch(const std::stop_token& stop) EXCLUDES(mutex_);
  /// For how long the handler that runs now has been running; nothing when that is within `limit`.
  [[nodiscard]] std::optional<Duration> handler_overdue(Duration limit) const REQUIRES(mutex_);
  void hold(Hold why) EXCLUDES(mutex_);
  void lift(Hold why) EXCLUDES(mutex_);
  void arm_timers() REQUIRES(mutex_);
  bool quiesce(const Quiesce& wait) EXCLUDES(mutex_);
  bool dispatcher_ended(Time deadline) EXCLUDES(mutex_);

  [[nodiscard]] std::shared_ptr<const TimerOptions> timer_of(std::string_view key) const
      EXCLUDES(mutex_);
  SyncOutcome run_timer(std::string_view key, const std::stop_token& cancelled) EXCLUDES(mutex_);

  [[nodiscard]] std::unique_ptr<ControllerQueue> make_queue(ControllerQueueOptions options,
                                                            std::string_view activity) const;
  [[nodiscard]] ControllerQueue* find(QueueId queue) const EXCLUDES(mutex_);
  [[nodiscard]] std::vector<ControllerQueue*> all_queues() const EXCLUDES(mutex_);

  // Fixed after construction.
  const RunnerOptions options_;
  DeltaSource* const deltas_;
  RunnerMetrics& metrics_;
  Clock& clock_;
  const Logger log_;
  const Breadcrumb crumb_;  // Views of options_.

  mutable Mutex mutex_;
  CondVar dispatched_;  // The dispatcher ended.
  CondVar filled_;      // kCachesFilling was lifted.
  unsigned holds_ GUARDED_BY(mutex_) = kNotStarted | kNotLeading | kCachesFilling;
  bool dispatching_ GUARDED_BY(mutex_) = false;
  std::optional<Time> handling_since_ GUARDED_BY(mutex_);  // A handler runs.
  bool handler_reported_ GUARDED_BY(mutex_) = false;       // report() has reported it.
  std::string rest_call_ GUARDED_BY(mutex_);               // While kResting.
  Time rest_since_ GUARDED_BY(mutex_){};
  std::vector<std::unique_ptr<ControllerQueue>> queues_
      GUARDED_BY(mutex_);  // Indexed by QueueId; entries stay.
  std::map<std::uint32_t, Timer> timers_ GUARDED_BY(mutex_);
  std::uint32_t next_timer_ GUARDED_BY(mutex_) = 1;

  // Timers are keys too: their numbers, in a queue without a name. So they share the workers'
  // rules.
  std::unique_ptr<ControllerQueue> timer_queue_;  // Fixed after construction.

  std::jthread dispatcher_;  // Started and stopped under mutex_; the destructor waits for it.
};

}  // namespace davit::host
