/// The threads that take keys from one WorkQueue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/queue/work_queue.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {

/// Up to `workers` threads, each started when there is a key and no idle worker; or none, and the
/// owner calls step(). The queue decides whether keys are handed out at all (pause, resume,
/// shut_down). Thread-safe.
class WorkerPool {
 public:
  /// Called on a worker for each key, never twice at once for one key. Must not throw.
  using Run = std::function<void(const WorkQueue::Lease& lease, const std::stop_token& cancelled)>;

  /// A key that runs.
  struct Busy {
    std::string key;
    Duration time{0};
    bool reported = false;  ///< newly_overdue() has reported it.
  };

  /// `queue` and `clock` outlive the pool. The owner of the queue passes its on_change on to
  /// wake(). The threads are named after `job`.
  WorkerPool(std::size_t workers, WorkQueue& queue, Clock& clock, Run run,
             std::string_view job = "sync", Threads threads = Threads::kOwn);
  /// Cancels what runs, and waits for it.
  ~WorkerPool();

  /// Whether threads may be started; not at first. A paused queue would only keep them waiting.
  void open() EXCLUDES(mutex_);
  void close() EXCLUDES(mutex_);

  /// The queue may have something to hand out. Does not block.
  void wake() EXCLUDES(mutex_);
  /// Tries again to start a thread that the system refused; call it every few seconds.
  void catch_up() EXCLUDES(mutex_);

  /// Runs a key on the calling thread; false when none is ready. Only with Threads::kNone, from one
  /// thread.
  bool step() EXCLUDES(mutex_);

  /// Cancels the tokens of all keys that run now; keys taken later get fresh ones.
  void cancel() EXCLUDES(mutex_);

  /// Waits until no key runs; false when `deadline` comes first. Pause or shut down the queue
  /// first.
  [[nodiscard]] bool wait_idle(Time deadline) EXCLUDES(mutex_);

  /// CPU time of the pool's threads. Calls of step() are not in it.
  [[nodiscard]] Duration cpu_time() const EXCLUDES(mutex_);

  /// The keys that have been running for at least `limit`.
  [[nodiscard]] std::vector<Busy> overdue(Duration limit) const EXCLUDES(mutex_);
  /// The overdue calls that this function has not returned yet.
  [[nodiscard]] std::vector<Busy> newly_overdue(Duration limit) EXCLUDES(mutex_);

 private:
  struct Worker {
    std::string key;  // Meaningful while busy.
    Time started{};
    bool busy = false;
    bool reported = false;
    std::optional<Time> waits_until;  // Set while it waits for a key, or for this time.
    std::stop_source cancel;
    std::jthread thread;
  };

  void work(Worker& self) EXCLUDES(mutex_);
  /// Takes a key and runs it; false when there was none.
  bool run_next(Worker& self) EXCLUDES(mutex_);
  /// Waits for a key, unless there are no threads; nothing when the pool ends.
  std::optional<WorkQueue::Lease> take(Worker& self) EXCLUDES(mutex_);
  /// A worker waits that will wake by itself when a key delayed until `due` is to be handed out.
  [[nodiscard]] bool is_watched(Time due) const REQUIRES(mutex_);
  void grow() REQUIRES(mutex_);

  const std::size_t workers_max_;
  WorkQueue& queue_;
  Clock& clock_;
  const Run run_;
  const std::string job_;
  const Threads threads_;

  mutable Mutex mutex_;
  CondVar work_;  // Something changed for those who wait for keys.
  CondVar idle_;  // A key ended.
  std::uint64_t changes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t cancels_ GUARDED_BY(mutex_) = 0;  // Calls of cancel().
  std::size_t busy_ GUARDED_BY(mutex_) = 0;
  bool open_ GUARDED_BY(mutex_) = false;
  bool ending_ GUARDED_BY(mutex_) = false;
  bool is_short_ GUARDED_BY(mutex_) = false;       // The last required thread could not be started.
  std::deque<Worker> workers_ GUARDED_BY(mutex_);  // Entries stay where they are.
};

}  // namespace davit::host
