/// One work queue of a controller with the workers that sync its keys.
#pragma once

#include <davit/abi.h>

#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "host/queue/work_queue.hpp"
#include "host/run/breadcrumb.hpp"
#include "host/run/failing_keys.hpp"
#include "host/run/runner_metrics.hpp"
#include "host/run/worker_pool.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Read your writes, asked before each sync: nothing when the caches show all that earlier syncs of
/// the key wrote. Else the key is put aside until caught_up(), at the latest until the time given.
/// Thread-safe, does not block.
using ReadGate = std::function<std::optional<Time>(std::string_view key)>;

/// The back-off of a key after a sync that succeeded.
enum class BackOff : std::int32_t {
  kEnd = DAVIT_BACKOFF_END,
  kKeep = DAVIT_BACKOFF_KEEP,
  kRetry = DAVIT_BACKOFF_RETRY,
};

/// The result of one sync.
struct SyncOutcome {
  std::int32_t code = DAVIT_OK;  ///< A davit_code, or any other number: an error.
  Duration again{0};  ///< With DAVIT_OK: sync the key again after this time; 0: when it is added.
  std::string error;  ///< Why the code is not DAVIT_OK.
  /// A request of the sync was cancelled by hold(). Any code other than DAVIT_OK then counts as
  /// DAVIT_CANCELLED.
  bool cancelled = false;
  BackOff backoff = BackOff::kEnd;  ///< With DAVIT_OK.
  /// With any other code: again after this time, without a log line, in place of the key's
  /// back-off.
  std::optional<Duration> retry_after = std::nullopt;
  std::string trace_id = {};  ///< For log lines; empty: it is not sampled.
};

/// Must not throw. `cancelled` is requested when the result is no longer waited for: blocking calls
/// end.
using SyncFunction = std::function<SyncOutcome(std::string_view key, std::stop_token cancelled)>;
struct ControllerQueueOptions {
  std::string name = {};      ///< Label of the workqueue_* metrics; empty: no metrics.
  std::uint32_t workers = 1;  ///< Keys at once, at least 1.
  RetryOptions retry = {};    ///< Back-off of failing keys.
  std::uint32_t retries_max =
      0;  ///< A key that failed so often in a row is dropped with a log line; 0: never.
  SyncFunction sync = {};
  ReadGate gate = {};  ///< May be empty.
  Threads threads = Threads::kOwn;
};

/// Takes a key, asks the gate, syncs it, and decides what comes next:
///
///   OK                           the back-off ends, stays or grows, as asked for; again after the
///                                time asked for, if any
///   cancelled by cancel(), or
///   while the queue is paused    the key is next when keys are handed out again
///   any other code               again with back-off, or dropped after retries_max
///
/// Begins paused. Thread-safe; nothing of the controller is called under a lock.
class ControllerQueue {
 public:
  /// `crumb` names the controller, its `activity` what the keys are; its views outlive the queue,
  /// as do the references.
  ControllerQueue(ControllerQueueOptions options, const Breadcrumb& crumb, RunnerMetrics& metrics,
                  Clock& clock, Logger log);

  void add(const QueueKey& key) { work_.add(key, clock_.now()); }
  void add_after(const QueueKey& key, Duration delay) { work_.add_after(key, delay, clock_.now()); }
  void add_rate_limited(const QueueKey& key) { work_.add_rate_limited(key, clock_.now()); }
  void forget(std::string_view key) { work_.forget(key); }
  [[nodiscard]] std::uint32_t failures(std::string_view key) const { return work_.failures(key); }

  /// Adds a key that the gate held back, or is about to.
  void caught_up(std::string_view key) EXCLUDES(mutex_);

  /// See WorkQueue.
  void pause() {
    work_.pause();
    pool_.close();
  }
  void resume() {
    pool_.open();
    work_.resume();
  }
  void shut_down() { work_.shut_down(); }

  /// Syncs a key on the calling thread; false when none is ready. See WorkerPool.
  bool step() EXCLUDES(mutex_);
  /// When a delayed key becomes ready, or the wait of one at the gate is over; nothing when no key
  /// waits for a time.
  [[nodiscard]] std::optional<Time> next_due() const EXCLUDES(mutex_);

  /// See WorkQueue; with the keys that the gate holds back. Paused and idle only.
  [[nodiscard]] QueueContent take_content() EXCLUDES(mutex_);
  void adopt(QueueContent& content) { work_.adopt(content); }
  /// See WorkQueue; with the wait at the gate.
  [[nodiscard]] KeyState find(std::string_view key) const EXCLUDES(mutex_);
  [[nodiscard]] const std::string& name() const { return options_.name; }
  /// The keys whose last sync failed, conflicts not included.
  [[nodiscard]] FailingKeys& failing() { return failing_; }
  [[nodiscard]] const FailingKeys& failing() const { return failing_; }
  /// Keys whose back-off has not ended.
  [[nodiscard]] std::size_t backing_off() const { return work_.backing_off(); }
  /// Keys that wait for a worker.
  [[nodiscard]] std::size_t waiting() const { return work_.size(); }
  /// Keys that wait for a time.
  [[nodiscard]] std::size_t delayed() const { return work_.delayed(); }
  /// Keys that run now.
  [[nodiscard]] std::size_t running() const { return work_.running(); }
  /// See WorkerPool.
  [[nodiscard]] Duration cpu_time() const { return pool_.cpu_time(); }

  /// See WorkerPool.
  void cancel() { pool_.cancel(); }
  [[nodiscard]] bool wait_idle(Time deadline) { return pool_.wait_idle(deadline); }

  /// The keys whose sync runs for at least `limit`, as text for people; empty when there is none.
  [[nodiscard]] std::string overdue(Duration limit) const;

  /// Logs each sync that runs for `limit`, once; writes the gauges; adds the keys whose wait at the
  /// gate is over. Returns how many syncs are overdue.
  std::size_t report(Duration limit) EXCLUDES(mutex_);

 private:
  struct Held {
    std::string shard;
    Time until{};
  };

  void run(const WorkQueue::Lease& lease, const std::stop_token& cancelled);
  /// Notes whether the key fails.
  void judge(std::string_view key, const SyncOutcome& outcome);
  bool held_back(const WorkQueue::Lease& lease) EXCLUDES(mutex_);
  /// Logs a line about a sync.
  void log(Severity severity, int verbosity, std::string_view message, const SyncOutcome& outcome,
           std::vector<LogPair> fields) const;
  void retry(const WorkQueue::Lease& lease, const SyncOutcome& outcome);
  void add_expired() EXCLUDES(mutex_);

  // Fixed after construction.
  const ControllerQueueOptions options_;
  const Breadcrumb crumb_;
  RunnerMetrics& metrics_;
  Clock& clock_;
  const Logger log_;

  mutable Mutex mutex_;
  std::map<std::string, Held, std::less<>> held_ GUARDED_BY(mutex_);

  FailingKeys failing_;
  WorkQueue work_;
  WorkerPool pool_;  // Last: its workers use all of the above.
};

}  // namespace davit::host
