/// A work queue whose workers can wait: the thin shell with clock and condition variable around
/// WorkQueue.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "host/base/clock.hpp"
#include "host/base/mutex.hpp"
#include "host/queue/work_queue.hpp"

namespace davit::host {

/// Thread-safe. The clock must outlive it.
class BlockingQueue {
 public:
  /// `options.on_change`, if set, is called as well as the waiting workers are woken.
  BlockingQueue(WorkQueueOptions options, Clock& clock);

  void add(const QueueKey& key) { queue_.add(key, clock_.now()); }
  void add_after(const QueueKey& key, Duration delay) {
    queue_.add_after(key, delay, clock_.now());
  }
  void add_rate_limited(const QueueKey& key) { queue_.add_rate_limited(key, clock_.now()); }

  /// Waits for a key. Nothing once `stop` is requested or the queue is shut down.
  [[nodiscard]] std::optional<WorkQueue::Lease> take(const std::stop_token& stop) EXCLUDES(mutex_);

  /// Waits until no key runs, `deadline` passes or `stop` is requested; returns whether none runs.
  /// Call pause() or shut_down() of the queue first, else there is always a next one.
  bool wait_drained(Time deadline, const std::stop_token& stop) EXCLUDES(mutex_);

  /// For everything else: forget, failures, pause, resume, shut_down, metrics.
  [[nodiscard]] WorkQueue& queue() { return queue_; }

 private:
  void wake() EXCLUDES(mutex_);
  /// Waits until a change after `seen`, `deadline` or `stop`.
  void wait(CondVar& cond, std::uint64_t seen, Time deadline, const std::stop_token& stop)
      EXCLUDES(mutex_);
  [[nodiscard]] std::uint64_t changes() EXCLUDES(mutex_);

  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;  // Workers.
  CondVar drained_;  // Those that wait for the running keys to end.
  std::uint64_t changes_ GUARDED_BY(mutex_) = 0;
  std::function<void()> on_change_;
  WorkQueue queue_;  // Last: it may call wake() from its first moment on.
};

}  // namespace davit::host
