/// Runs one controller: its handlers on a dispatcher, its syncs on workers, its timers.
#pragma once

#include <atomic>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/base/clock.hpp"
#include "host/base/log.hpp"
#include "host/base/mutex.hpp"
#include "host/queue/work_queue.hpp"
#include "host/run/breadcrumb.hpp"
#include "host/run/worker_pool.hpp"

namespace davit::host {

/// What the controller hears of the cluster. Called on the runner's dispatcher thread, but for
/// ready().
class ChangeFeed {
 public:
  ChangeFeed() = default;
  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;
  virtual ~ChangeFeed() = default;

  /// Waits for changes and calls the controller's handlers with some of them. Returns also, without
  /// any, when `stop` is requested or ready() may have become true.
  virtual void deliver(std::stop_token stop) = 0;
  /// Every cache that the controller asked for is filled and the handlers have seen each object
  /// once. Once true it stays true. Thread-safe, does not block.
  [[nodiscard]] virtual bool ready() const = 0;
};

/// Read your writes: whether the caches have caught up with the controller's own writes about
/// `key`. When it says no, whoever implements it calls ControllerRunner::add() with the key once it
/// would say yes. Thread-safe, does not block.
using ReadGate = std::function<bool(std::string_view key)>;

/// What one sync said.
struct SyncOutcome {
  std::int32_t code = DAVIT_OK;  ///< A davit_code, or any other number: an error.
  Duration again{0};  ///< With DAVIT_OK: sync the key again after this time; 0: when it is added.
  std::string error;  ///< Why the code is not DAVIT_OK.
};

/// Must not throw. `cancelled` is requested when the result is no longer waited for: blocking calls
/// end.
using SyncFunction = std::function<SyncOutcome(std::string_view key, std::stop_token cancelled)>;
using TimerFunction = std::function<void(std::stop_token cancelled)>;

enum class QueueId : std::uint32_t {};
enum class TimerId : std::uint32_t {};

struct ControllerQueueOptions {
  std::string name;           ///< Label of the workqueue_* metrics; empty: no metrics.
  std::uint32_t workers = 1;  ///< Keys at once, at least 1.
  RetryOptions retry;         ///< Back-off of failing keys.
  std::uint32_t retries_max =
      0;  ///< A key that failed so often in a row is dropped with a log line; 0: never.
  SyncFunction sync;
};

struct TimerOptions {
  Duration first{0};   ///< From the start of the workers, or from start_timer() if they run.
  Duration period{0};  ///< From the end of one run to the begin of the next; 0: once.
  TimerFunction fire;
};

/// What the runner counts. Thread-safe.
class RunnerMetrics {
 public:
  RunnerMetrics() = default;
  RunnerMetrics(const RunnerMetrics&) = delete;
  RunnerMetrics& operator=(const RunnerMetrics&) = delete;
  virtual ~RunnerMetrics() = default;

  /// The series of the queue with that name; queues of one name share them. Lives as long as this
  /// object.
  virtual QueueMetrics& queue_metrics(std::string_view queue) = 0;
  /// workqueue_unfinished_work_seconds and workqueue_longest_running_processor_seconds.
  virtual void queue_running(std::string_view queue, const RunningWork& work) = 0;
  /// running_managed_controllers.
  enum class Running { kNo, kYes };
  virtual void controller_running(std::string_view controller, Running running) = 0;
  /// Syncs beyond their limit right now.
  virtual void overdue_syncs(std::string_view controller, std::size_t count) = 0;
};

struct RunnerOptions {
  std::string controller;  ///< "deployment-controller"
  std::string plugin;
  std::string build_id;
  std::uint64_t generation = 1;
  /// A sync that takes longer is reported. Far above any sync that makes progress: one API call
  /// ends after 32 s.
  Duration sync_limit = std::chrono::seconds(60);
};

/// How long to wait for running syncs.
struct Quiesce {
  Time cancel_at;   ///< Then their tokens are cancelled; not later than give_up_at.
  Time give_up_at;  ///< Then the wait ends, whether or not they returned.
};

/// Life:  open queues and timers → start() → begin_syncing() → (pause() → resume())* → stop().
/// Keys are taken in from the first moment and wait until the workers may run: when begin_syncing()
/// was called and the feed is ready. Threads are started when there is work for them. All functions
/// are thread-safe; add() and its kin never block. Nothing of the controller is called under a
/// lock.
class ControllerRunner {
 public:
  /// `feed` may be null: the controller watches nothing. `gate` may be empty. References outlive
  /// the runner.
  ControllerRunner(RunnerOptions options, ChangeFeed* feed, ReadGate gate, RunnerMetrics& metrics,
                   Clock& clock, Log log);
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

  /// Adds the key to every queue that put it aside because the ReadGate said no.
  void caught_up(std::string_view key) EXCLUDES(mutex_);

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
  void resume() EXCLUDES(mutex_);

  /// Ends dispatching, drops what is queued, waits for what runs. Returns whether all of it ended.
  /// Idempotent.
  bool stop(const Quiesce& wait) EXCLUDES(mutex_);

  /// The workers may run: caches filled, begin_syncing() called, not paused, not stopped.
  [[nodiscard]] bool syncing() const EXCLUDES(mutex_);
  /// The feed is ready.
  [[nodiscard]] bool caches_ready() const { return feed_ == nullptr || feed_->ready(); }

  /// kUnavailable naming key and time when a sync is beyond its limit.
  [[nodiscard]] Status health() const EXCLUDES(mutex_);
  /// Logs each sync that went beyond its limit, once, and writes the gauges. Call it every few
  /// seconds and before each scrape.
  void report() EXCLUDES(mutex_);

  [[nodiscard]] const std::string& controller() const { return options_.controller; }

 private:
  struct Queue;
  struct Timer;
  enum class Phase { kFilling, kSyncing, kPaused, kStopped };

  void dispatch(const std::stop_token& stop);
  void open_if_ready() EXCLUDES(mutex_);
  void run_key(Queue& queue, const WorkQueue::Lease& lease, const std::stop_token& cancelled);
  void settle(Queue& queue, const WorkQueue::Lease& lease, const SyncOutcome& outcome);
  void retry(Queue& queue, const WorkQueue::Lease& lease, const SyncOutcome& outcome);
  void run_timer(const WorkQueue::Lease& lease, const std::stop_token& cancelled);
  bool set_aside(Queue& queue, const WorkQueue::Lease& lease) EXCLUDES(mutex_);
  bool quiesce(const Quiesce& wait);
  [[nodiscard]] Queue* find(QueueId queue) const EXCLUDES(mutex_);
  [[nodiscard]] std::vector<WorkerPool*> pools() const EXCLUDES(mutex_);
  [[nodiscard]] Breadcrumb crumb(std::string_view activity, std::string_view key) const;
  Queue& timer_queue() REQUIRES(mutex_);
  std::unique_ptr<Queue> make_queue(ControllerQueueOptions options);

  // Fixed after construction.
  const RunnerOptions options_;
  ChangeFeed* const feed_;
  const ReadGate gate_;
  RunnerMetrics& metrics_;
  Clock& clock_;
  const Log log_;

  mutable Mutex mutex_;
  Phase phase_ GUARDED_BY(mutex_) = Phase::kFilling;
  bool may_sync_ GUARDED_BY(mutex_) = false;                       // begin_syncing() was called.
  std::vector<std::unique_ptr<Queue>> queues_ GUARDED_BY(mutex_);  // By QueueId; entries stay.
  std::unique_ptr<Queue> timer_queue_ GUARDED_BY(mutex_);          // Made with the first timer.
  std::map<std::uint32_t, Timer> timers_ GUARDED_BY(mutex_);
  std::uint32_t next_timer_ GUARDED_BY(mutex_) = 1;

  std::jthread dispatcher_;
};

}  // namespace davit::host
