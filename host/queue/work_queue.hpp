/// The keys of one controller that need a sync.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/queue/queue_content.hpp"
#include "host/queue/queue_metrics.hpp"
#include "host/queue/retry_limiter.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/key_hash.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// A key as callers pass it; the views live for the call. Keys with the same non-empty `shard`
/// never run at once. A key's shard must always be the same; one passed without takes the shard
/// under which the queue holds it already.
struct QueueKey {
  QueueKey(std::string_view k)
      : key(k) {}  // NOLINT(google-explicit-constructor): most keys have no shard.
  QueueKey(const char* k) : key(k) {}         // NOLINT(google-explicit-constructor)
  QueueKey(const std::string& k) : key(k) {}  // NOLINT(google-explicit-constructor)
  QueueKey(std::string_view k, std::string_view s) : key(k), shard(s) {}

  std::string_view key;
  std::string_view shard;
};

struct WorkQueueOptions {
  RetryOptions retry{};
  /// Borrowed; outlives the queue. Null: no metrics.
  QueueMetrics* metrics = nullptr;
  /// Called, outside the lock, whenever take() may return a new key, next_due() moved closer, the
  /// queue was shut down, or a queue that is not open has drained, to wake up the owner of the
  /// workers. Thread-safe, must not block. May be empty.
  std::function<void()> on_change{};
};

/// The keys that need a sync, each held by at most one worker.
///
///           add            take            release
///   (idle) ─────▶ Queued ──────▶ Running ─────────▶ (idle)
///                   ▲               │ add
///                   └── release ── Stale
///
/// Adding a queued key changes nothing; adding a running key buys exactly one more run. Delayed
/// keys are separate: they become Queued when due, and adding a key at once leaves its delayed
/// entry alone. A queue is open, paused (takes keys in, hands none out; hot swap, or caches not yet
/// filled) or shut down for good. Thread-safe; never blocks. Never reads a clock: callers pass
/// `now`, so a test owns time.
class WorkQueue {
 public:
  explicit WorkQueue(WorkQueueOptions options = {});
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// One worker's hold on a key. The queue must outlive it.
  class Lease;

  void add(const QueueKey& key, Time now) EXCLUDES(mutex_);

  /// Adds `key` once `delay` has passed. If one key has several due times, the earliest wins.
  /// Counts as a retry.
  void add_after(const QueueKey& key, Duration delay, Time now) EXCLUDES(mutex_);

  /// Adds `key` after its next back-off, and counts a failure.
  void add_rate_limited(const QueueKey& key, Time now) EXCLUDES(mutex_);

  /// Ends the back-off of `key`; leaves it queued if it is.
  void forget(std::string_view key) EXCLUDES(mutex_);
  /// The same for a key that runs and has succeeded: a back-off that it was given since it runs
  /// stays.
  void succeed(std::string_view key) EXCLUDES(mutex_);

  /// The number of times in a row that `key` was added by add_rate_limited().
  [[nodiscard]] std::uint32_t failures(std::string_view key) const EXCLUDES(mutex_);

  /// The key that waited longest and may run, or nothing when none is ready at `now` or the queue
  /// is not open.
  [[nodiscard]] std::optional<Lease> take(Time now) EXCLUDES(mutex_);

  /// When the first delayed key becomes ready; nothing when none is delayed or the queue is not
  /// open.
  [[nodiscard]] std::optional<Time> next_due() const EXCLUDES(mutex_);

  /// Hands out nothing until resume(); keys are still taken in. A queue begins open.
  void pause() EXCLUDES(mutex_);
  void resume() EXCLUDES(mutex_);

  /// Hands out no more keys and takes none in; waiting keys are dropped. Running syncs finish. For
  /// good.
  void shut_down() EXCLUDES(mutex_);
  [[nodiscard]] bool is_shut_down() const EXCLUDES(mutex_);
  /// Neither paused nor shut down.
  [[nodiscard]] bool is_open() const EXCLUDES(mutex_);

  /// Leaves the queue empty. Only of a queue that is not open and in which no key runs.
  [[nodiscard]] QueueContent take_content() EXCLUDES(mutex_);
  /// Takes over the content of another queue: its waiting keys come before those that are here, and
  /// of two due times the earlier one wins. Only while no key runs. Entries that this queue cannot
  /// use stay in `content`.
  void adopt(QueueContent& content) EXCLUDES(mutex_);

  /// Keys that wait for a worker, without delayed and running ones.
  [[nodiscard]] std::size_t size() const EXCLUDES(mutex_);
  /// Keys that wait for a time: the end of their back-off, or what add_after() was given.
  [[nodiscard]] std::size_t delayed() const EXCLUDES(mutex_);
  /// Keys whose back-off has not ended: they failed, and neither succeeded nor were forgotten
  /// since.
  [[nodiscard]] std::size_t backing_off() const EXCLUDES(mutex_);
  /// Keys that run now. After pause() or shut_down(), 0 means that the queue is drained.
  [[nodiscard]] std::size_t running() const EXCLUDES(mutex_);
  /// For the gauges of running work.
  [[nodiscard]] RunningWork running_work(Time now) const EXCLUDES(mutex_);
  [[nodiscard]] KeyState find(std::string_view key) const EXCLUDES(mutex_);
  /// Every key that is queued, running again or delayed, in no particular order (debugging, state
  /// hand-over).
  [[nodiscard]] std::vector<std::string> pending() const EXCLUDES(mutex_);

 private:
  enum class Phase { kOpen, kPaused, kShutDown };
  using State = QueueEntry::State;  // An idle key has no entry.

  void release(const std::string& key, Time now) EXCLUDES(mutex_);
  /// The effect of an add: none, made a running key stale, or made an idle key queued.
  enum class Added { kNothing, kStale, kQueued };
  Added enqueue(const QueueKey& key, Time now) REQUIRES(mutex_);
  void delay(const QueueKey& key, Time due) REQUIRES(mutex_);
  /// Queues the delayed keys that are due; returns how many began to wait.
  std::size_t queue_due(Time now) REQUIRES(mutex_);
  [[nodiscard]] std::string_view shard_of(const QueueKey& key) const REQUIRES(mutex_);
  void changed() const;

  const WorkQueueOptions options_;
  QueueMetrics no_metrics_;
  QueueMetrics& metrics_;

  mutable Mutex mutex_;
  Phase phase_ GUARDED_BY(mutex_) = Phase::kOpen;
  RetryLimiter limiter_ GUARDED_BY(mutex_);
  QueueEntries entries_ GUARDED_BY(mutex_);
  // Every queued key is either here, oldest first, or parked behind its running shard: another key
  // of that shard runs.
  QueueOrder ready_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, QueueOrder, KeyHash, std::equal_to<>> busy_shards_
      GUARDED_BY(mutex_);
  std::size_t queued_ GUARDED_BY(mutex_) = 0;   // Keys in state Queued.
  std::size_t running_ GUARDED_BY(mutex_) = 0;  // Keys in state Running or Stale.
  DelayedKeys delayed_ GUARDED_BY(mutex_);
  // The same keys by time; the views point at the keys of delayed_.
  std::set<std::pair<Time, std::string_view>> due_ GUARDED_BY(mutex_);
};

/// Move-only. Dropping it without finish() releases the key as if no time had passed.
class WorkQueue::Lease {
 public:
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease();

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& shard() const { return shard_; }
  /// The time that the key waited for a worker.
  [[nodiscard]] Duration waited() const { return waited_; }
  /// The worker is done: the key may run again. Once.
  void finish(Time now);

 private:
  friend class WorkQueue;
  Lease(WorkQueue& queue, std::string key, std::string shard, Time started, Duration waited)
      : queue_(&queue),
        key_(std::move(key)),
        shard_(std::move(shard)),
        started_(started),
        waited_(waited) {}

  WorkQueue* queue_;  // Null after finish() and in a moved-from lease.
  std::string key_;
  std::string shard_;
  Time started_;
  Duration waited_;
};

}  // namespace davit::host
