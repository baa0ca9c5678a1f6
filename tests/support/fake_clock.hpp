/// A clock that a test moves by hand. Waiting threads wake exactly when their deadline is reached.
#pragma once

#include <list>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::test {

/// Thread-safe.
class FakeClock final : public host::Clock {
 public:
  /// Far from zero, so that "never" and "long ago" cannot be mixed up with the start.
  static constexpr host::Time kStart{std::chrono::hours(1000)};
  /// 2026-01-01T00:00:00Z.
  static constexpr host::WallTime kWallStart{std::chrono::seconds(1767225600)};

  [[nodiscard]] host::Time now() const override {
    host::MutexLock lock(mutex_);
    return kStart + passed_;
  }

  [[nodiscard]] host::WallTime wall_now() const override {
    host::MutexLock lock(mutex_);
    return kWallStart + passed_ + wall_shift_;
  }

  [[nodiscard]] host::BootTime boot_now() const override {
    host::MutexLock lock(mutex_);
    return host::BootTime((kStart + passed_ + suspended_).time_since_epoch());
  }

  /// The machine sleeps: wall and boot clock go on, the monotonic one and every wait do not.
  void suspend(host::Duration time) EXCLUDES(mutex_) {
    host::MutexLock lock(mutex_);
    suspended_ += time;
    wall_shift_ += time;
  }

  /// Moves both clocks forward and wakes every thread whose deadline has come.
  void advance(host::Duration time) EXCLUDES(mutex_) {
    {
      host::MutexLock lock(mutex_);
      passed_ += time;
    }
    while (Waiter* due = pin_due()) {
      {
        host::MutexLock lock(*due->mutex);
        due->cond->notify_all();
      }
      host::MutexLock lock(mutex_);
      due->pinned = false;
      changed_.notify_all();
    }
  }

  /// Moves the wall clock only, as an administrator or NTP does.
  void shift_wall(host::Duration time) EXCLUDES(mutex_) {
    host::MutexLock lock(mutex_);
    wall_shift_ += time;
  }

  /// Blocks until exactly `count` threads wait for a time on this clock that has not come.
  void await_waiters(std::size_t count) EXCLUDES(mutex_) {
    host::MutexLock lock(mutex_);
    while (asleep() != count) changed_.wait(mutex_);
  }

  /// Blocks until a thread waits for exactly `deadline`, which has not come.
  void await_deadline(host::Time deadline) EXCLUDES(mutex_) {
    host::MutexLock lock(mutex_);
    while (!waits_for(deadline)) changed_.wait(mutex_);
  }

  void wait_until(host::CondVar& cond, host::Mutex& mutex, host::Time deadline) override
      REQUIRES(mutex) {
    std::list<Waiter>::iterator self;
    {
      host::MutexLock lock(mutex_);
      if (kStart + passed_ >= deadline) return;
      self = waiters_.insert(waiters_.end(), Waiter{&cond, &mutex, deadline, false, false});
      changed_.notify_all();
    }
    cond.wait(mutex);
    mutex.unlock();
    {
      host::MutexLock lock(mutex_);
      while (self->pinned) changed_.wait(mutex_);
      waiters_.erase(self);
      changed_.notify_all();
    }
    mutex.lock();
  }

 private:
  struct Waiter {
    host::CondVar* cond;
    host::Mutex* mutex;
    host::Time deadline;
    bool pinned;  // advance() uses `cond` and `mutex` now, so the waiter must not leave.
    bool woken;
  };

  Waiter* pin_due() EXCLUDES(mutex_) {
    host::MutexLock lock(mutex_);
    for (Waiter& each : waiters_) {
      if (each.woken || each.deadline > kStart + passed_) continue;
      each.woken = true;
      each.pinned = true;
      return &each;
    }
    return nullptr;
  }

  std::size_t asleep() const REQUIRES(mutex_) {
    std::size_t count = 0;
    for (const Waiter& each : waiters_) count += each.woken ? 0 : 1;
    return count;
  }

  bool waits_for(host::Time deadline) const REQUIRES(mutex_) {
    for (const Waiter& each : waiters_) {
      if (!each.woken && each.deadline == deadline) return true;
    }
    return false;
  }

  mutable host::Mutex mutex_;
  host::CondVar changed_;
  host::Duration passed_ GUARDED_BY(mutex_){0};
  host::Duration suspended_ GUARDED_BY(mutex_){0};
  host::Duration wall_shift_ GUARDED_BY(mutex_){0};
  std::list<Waiter> waiters_ GUARDED_BY(mutex_);
};

}  // namespace davit::test
