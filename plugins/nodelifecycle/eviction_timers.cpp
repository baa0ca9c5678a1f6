#include "plugins/nodelifecycle/eviction_timers.hpp"

namespace davit::nodelifecycle {

bool EvictionTimers::add(const Key& pod, Time now, Time due) {
  const std::lock_guard lock(mutex_);
  if (pending_.contains(pod) || running_.contains(pod)) return false;
  if (due > now) {
    pending_.emplace(pod, due);
  } else {
    start(pod, due);
  }
  return true;
}

EvictionTimers::Found EvictionTimers::cancel(const Key& pod) {
  const std::lock_guard lock(mutex_);
  if (pending_.erase(pod) != 0) return Found::kPending;
  return running_.erase(pod) != 0 ? Found::kRunning : Found::kNothing;
}

bool EvictionTimers::is_pending(const Key& pod) const {
  const std::lock_guard lock(mutex_);
  return pending_.contains(pod);
}

EvictionTimers::Step EvictionTimers::step(const Key& pod, Time now) {
  const std::lock_guard lock(mutex_);
  if (const auto pending = pending_.find(pod); pending != pending_.end()) {
    const Time due = pending->second;
    if (due > now && !deletions_.contains(pod)) return Wait{due - now};
    if (due <= now) {
      pending_.erase(pending);
      start(pod, due);
    }
  }
  const auto deletion = deletions_.find(pod);
  if (deletion == deletions_.end()) return std::monostate();
  return Attempt{deletion->second.due, ++deletion->second.tries};
}

bool EvictionTimers::ended(const Key& pod) {
  const std::lock_guard lock(mutex_);
  const auto deletion = deletions_.find(pod);
  if (deletion == deletions_.end()) return pending_.contains(pod);
  const std::optional<Time> next = deletion->second.next;
  deletions_.erase(deletion);
  if (next) {
    deletions_.emplace(pod, Deletion{*next});
    return true;
  }
  running_.erase(pod);
  return pending_.contains(pod);
}

std::size_t EvictionTimers::pending_count() const {
  const std::lock_guard lock(mutex_);
  return pending_.size();
}

void EvictionTimers::start(const Key& pod, Time due) {
  running_.insert(pod);
  const auto [deletion, is_new] = deletions_.try_emplace(pod, Deletion{due});
  if (!is_new) deletion->second.next = due;
}

}  // namespace davit::nodelifecycle
