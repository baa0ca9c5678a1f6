#include "host/queue/blocking_queue.hpp"

#include <utility>

namespace davit::host {

BlockingQueue::BlockingQueue(WorkQueueOptions options, Clock& clock)
    : clock_(clock), on_change_(std::exchange(options.on_change, nullptr)), queue_([&] {
        options.on_change = [this] { wake(); };
        return std::move(options);
      }()) {}

std::optional<WorkQueue::Lease> BlockingQueue::take(const std::stop_token& stop) {
  while (!stop.stop_requested() && !queue_.is_shut_down()) {
    // Read before looking, so that a change in between is not slept through.
    const std::uint64_t seen = changes();
    if (std::optional<WorkQueue::Lease> lease = queue_.take(clock_.now())) {
      // One change wakes one worker; when it leaves more behind, it wakes the next.
      if (queue_.size() > 0) changed_.notify_one();
      return lease;
    }
    wait(changed_, seen, queue_.next_due().value_or(Time::max()), stop);
  }
  return std::nullopt;
}

bool BlockingQueue::wait_drained(Time deadline, const std::stop_token& stop) {
  while (true) {
    const std::uint64_t seen = changes();
    if (queue_.running() == 0) return true;
    if (stop.stop_requested() || clock_.now() >= deadline) return false;
    wait(drained_, seen, deadline, stop);
  }
}

void BlockingQueue::wake() {
  {
    MutexLock lock(mutex_);
    ++changes_;
  }
  if (queue_.is_shut_down()) {
    changed_.notify_all();
  } else {
    changed_.notify_one();
  }
  drained_.notify_all();
  if (on_change_) on_change_();
}

void BlockingQueue::wait(CondVar& cond, std::uint64_t seen, Time deadline,
                         const std::stop_token& stop) {
  std::stop_callback on_stop(stop, [this, &cond] {
    MutexLock lock(mutex_);
    cond.notify_all();
  });
  MutexLock lock(mutex_);
  while (changes_ == seen && !stop.stop_requested() && clock_.now() < deadline) {
    clock_.wait_until(cond, mutex_, deadline);
  }
}

std::uint64_t BlockingQueue::changes() {
  MutexLock lock(mutex_);
  return changes_;
}

}  // namespace davit::host
