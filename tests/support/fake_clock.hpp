/// A clock that a test moves by hand. Waiting threads wake exactly when their deadline is reached.
#pragma once

#include <list>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::test {

/// Thread-safe.
class FakeClock final : public Clock {
 public:
  /// Far from zero, so that "never" and "long ago" differ from the start.
  static constexpr Time kStart{std::chrono::hours(1000)};
  /// 2026-01-01T00:00:00Z.
  static constexpr WallTime kWallStart{std::chrono::seconds(1767225600)};

  [[nodiscard]] Time now() const override {
    MutexLock lock(mutex_);
    return kStart + passed_;
  }

  [[nodiscard]] WallTime wall_now() const override {
    MutexLock lock(mutex_);
    return kWallStart + passed_ + wall_shift_;
  }

  [[nodiscard]] BootTime boot_now() const override {
    MutexLock lock(mutex_);
    return BootTime((kStart + passed_ + suspended_).time_since_epoch());
  }

  /// Suspends the machine: the wall and boot clocks advance, the monotonic clock and all waits do
  /// not.
  void suspend(Duration time) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    suspended_ += time;
    wall_shift_ += time;
  }

  /// Moves both clocks forward and wakes every thread whose deadline has come.
  void advance(Duration time) EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      passed_ += time;
    }
    while (Waiter* due = pin_due()) {
      {
        MutexLock lock(*due->mutex);
        due->cond->notify_all();
      }
      MutexLock lock(mutex_);
      due->pinned = false;
      changed_.notify_all();
    }
  }

  /// Moves only the wall clock, as an administrator or NTP does.
  void shift_wall(Duration time) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    wall_shift_ += time;
  }

  /// Blocks until exactly `count` threads wait for a time on this clock that has not been reached.
  void await_waiters(std::size_t count) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (asleep() != count) changed_.wait(mutex_);
  }

  /// Blocks until a thread waits for exactly `deadline`, which has not been reached.
  void await_deadline(Time deadline) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!waits_for(deadline)) changed_.wait(mutex_);
  }

  void wait_until(CondVar& cond, Mutex& mutex, Time deadline) override REQUIRES(mutex) {
    std::list<Waiter>::iterator self;
    {
      MutexLock lock(mutex_);
      if (kStart + passed_ >= deadline) return;
      self = waiters_.insert(waiters_.end(), Waiter{&cond, &mutex, deadline, false, false});
      changed_.notify_all();
    }
    cond.wait(mutex);
    mutex.unlock();
    {
      MutexLock lock(mutex_);
      while (self->pinned) changed_.wait(mutex_);
      waiters_.erase(self);
      changed_.notify_all();
    }
    mutex.lock();
  }

 private:
  struct Waiter {
    CondVar* cond;
    Mutex* mutex;
    Time deadline;
    bool pinned;  // advance() is using `cond` and `mutex`, so the waiter must not leave.
    bool woken;
  };

  Waiter* pin_due() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
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

  bool waits_for(Time deadline) const REQUIRES(mutex_) {
    for (const Waiter& each : waiters_) {
      if (!each.woken && each.deadline == deadline) return true;
    }
    return false;
  }

  mutable Mutex mutex_;
  CondVar changed_;
  Duration passed_ GUARDED_BY(mutex_){0};
  Duration suspended_ GUARDED_BY(mutex_){0};
  Duration wall_shift_ GUARDED_BY(mutex_){0};
  std::list<Waiter> waiters_ GUARDED_BY(mutex_);
};

}  // namespace davit::test
