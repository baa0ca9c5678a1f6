/// Notifies reflectors that wait for an unreachable server when it responds again.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "lib/base/mutex.hpp"

namespace davit::host {

/// One for all requests of the host to its server. Thread-safe.
class ServerContact {
 public:
  class Waiter {
   public:
    Waiter() = default;
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    virtual ~Waiter() = default;
    /// Called under a lock: a leaf that does not block.
    virtual void server_responded() = 0;
  };

  ServerContact() = default;
  ServerContact(const ServerContact&) = delete;
  ServerContact& operator=(const ServerContact&) = delete;

  /// Reports that a request of this host has succeeded. Cheap without waiters.
  void responded() EXCLUDES(mutex_) {
    // Relaxed: a thread that begins to wait at this moment is notified of the next success.
    if (count_.load(std::memory_order_relaxed) == 0) return;
    MutexLock lock(mutex_);
    for (Waiter* each : waiters_) each->server_responded();
  }

  void add(Waiter& waiter) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    waiters_.push_back(&waiter);
    count_.store(waiters_.size(), std::memory_order_relaxed);
  }
  /// After this returns `waiter` is called no more. Unknown ones are ignored.
  void remove(Waiter& waiter) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::erase(waiters_, &waiter);
    count_.store(waiters_.size(), std::memory_order_relaxed);
  }

 private:
  std::atomic<std::size_t> count_{0};
  Mutex mutex_;
  std::vector<Waiter*> waiters_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
