#include "host/run/worker_pool.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/assert.hpp"

namespace davit::host {

WorkerPool::WorkerPool(std::size_t workers, WorkQueue& queue, Clock& clock, Run run,
                       std::string_view job, Threads threads)
    : workers_max_(std::max<std::size_t>(workers, 1)),
      queue_(queue),
      clock_(clock),
      run_(std::move(run)),
      job_(job),
      threads_(threads) {}

WorkerPool::~WorkerPool() {
  {
    MutexLock lock(mutex_);
    ending_ = true;
    work_.notify_all();
  }
  cancel();
  for (;;) {
    std::jthread leaving;
    {
      MutexLock lock(mutex_);
      const auto found = std::find_if(workers_.begin(), workers_.end(), [](const Worker& worker) {
        return worker.thread.joinable();
      });
      if (found == workers_.end()) return;
      leaving = std::move(found->thread);
    }
    leaving.join();
  }
}

void WorkerPool::wake() {
  {
    MutexLock lock(mutex_);
    ++changes_;
    grow();
  }
  work_.notify_one();  // Under the lock, the worker that wakes would only wait for it.
}

void WorkerPool::catch_up() {
  MutexLock lock(mutex_);
  if (is_short_) grow();
}

void WorkerPool::open() {
  MutexLock lock(mutex_);
  open_ = true;
}

void WorkerPool::close() {
  MutexLock lock(mutex_);
  open_ = false;
}

void WorkerPool::grow() {
  if (threads_ == Threads::kNone || !open_ || ending_ || workers_.size() >= workers_max_) return;
  // One for each key that waits, and one that watches the time when a key is delayed.
  const std::size_t free = workers_.size() - busy_;
  const std::size_t wanted = std::max<std::size_t>(queue_.size(), queue_.next_due() ? 1 : 0);
  if (free >= wanted) return;
  Worker& worker = workers_.emplace_back();
  is_short_ = !start_thread(worker.thread, job_, [this, &worker] { work(worker); });
  if (is_short_) workers_.pop_back();  // Otherwise it would always count as free.
}

std::optional<WorkQueue::Lease> WorkerPool::take(Worker& self) {
  for (;;) {
    std::uint64_t seen = 0;
    std::uint64_t cancels = 0;
    {
      MutexLock lock(mutex_);
      if (ending_) return std::nullopt;
      seen = changes_;
      cancels = cancels_;
    }
    const Time now = clock_.now();
    std::optional<WorkQueue::Lease> lease = queue_.take(now);
    const Time due = queue_.next_due().value_or(Time::max());

    if (lease) {
      bool is_relieved = false;
      {
        MutexLock lock(mutex_);
        self.key = lease->key();
        self.started = now;
        self.busy = true;
        self.reported = false;
        if (self.cancel.stop_requested()) self.cancel = std::stop_source();
        // cancel() came after the queue gave the key and before its token was published, so it
        // could not stop this call.
        if (cancels_ != cancels) self.cancel.request_stop();
        ++busy_;
        grow();
        is_relieved = queue_.size() == 0 && (due == Time::max() || is_watched(due));
      }
      if (!is_relieved) work_.notify_one();
      return lease;
    }
    MutexLock lock(mutex_);
    if (ending_ || threads_ == Threads::kNone) return std::nullopt;
    if (changes_ != seen) continue;
    self.waits_until = due;
    clock_.wait_until(work_, mutex_, due);
    self.waits_until.reset();
  }
}

bool WorkerPool::is_watched(Time due) const {
  return std::any_of(workers_.begin(), workers_.end(), [&](const Worker& worker) {
    return worker.waits_until && *worker.waits_until <= due;
  });
}

void WorkerPool::work(Worker& self) {
  while (run_next(self)) {
  }
}

bool WorkerPool::run_next(Worker& self) {
  std::optional<WorkQueue::Lease> lease = take(self);
  if (!lease) return false;
  std::stop_token cancelled;
  {
    MutexLock lock(mutex_);
    cancelled = self.cancel.get_token();
  }
  run_(*lease, cancelled);
  lease->finish(clock_.now());
  MutexLock lock(mutex_);
  self.busy = false;
  if (--busy_ == 0) idle_.notify_all();
  return true;
}

bool WorkerPool::step() {
  DAVIT_ASSERT(threads_ == Threads::kNone);
  Worker* caller = nullptr;
  {
    MutexLock lock(mutex_);
    if (workers_.empty()) workers_.emplace_back();
    caller = &workers_.front();
  }
  return run_next(*caller);
}

void WorkerPool::cancel() {
  std::vector<std::stop_source> running;
  {
    MutexLock lock(mutex_);
    ++cancels_;
    for (const Worker& worker : workers_) {
      if (worker.busy) running.push_back(worker.cancel);
    }
  }
  // Outside the lock: this calls the listeners of the stop.
  for (std::stop_source& each : running) each.request_stop();
}

bool WorkerPool::wait_idle(Time deadline) {
  MutexLock lock(mutex_);
  // A key that was just handed out is known to the queue before it is known here.
  while (busy_ > 0 || queue_.running() > 0) {
    if (clock_.now() >= deadline) return false;
    clock_.wait_until(idle_, mutex_, deadline);
  }
  return true;
}

Duration WorkerPool::cpu_time() const {
  Duration sum{0};
  MutexLock lock(mutex_);
  for (const Worker& worker : workers_) sum += thread_cpu_time(worker.thread);
  return sum;
}

std::vector<WorkerPool::Busy> WorkerPool::overdue(Duration limit) const {
  std::vector<Busy> found;
  const Time now = clock_.now();
  MutexLock lock(mutex_);
  for (const Worker& worker : workers_) {
    if (!worker.busy || now - worker.started < limit) continue;
    found.push_back({worker.key, now - worker.started, worker.reported});
  }
  return found;
}

std::vector<WorkerPool::Busy> WorkerPool::newly_overdue(Duration limit) {
  std::vector<Busy> found;
  const Time now = clock_.now();
  MutexLock lock(mutex_);
  for (Worker& worker : workers_) {
    if (!worker.busy || worker.reported || now - worker.started < limit) continue;
    worker.reported = true;
    found.push_back({worker.key, now - worker.started, true});
  }
  return found;
}

}  // namespace davit::host
