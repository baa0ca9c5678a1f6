/// Time for what runs on threads of its own: it moves by hand, and only when no thread has anything
/// to do.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <utility>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::test {

/// Everything that follows from an event happens at the same instant of this clock, however long
/// the machine takes for it, and what waits for a minute waits no longer than it takes to see that
/// all others wait, too. So a test neither sleeps nor depends on the machine's speed.
///
/// Who waits does so in wait_until() or on a CondVar; one thread, the test's, calls the rest.
class QuietClock final : public Clock {
 public:
  [[nodiscard]] Time now() const override EXCLUDES(mutex_);
  [[nodiscard]] WallTime wall_now() const override EXCLUDES(mutex_);
  void wait_until(CondVar& cond, Mutex& mutex, Time deadline) override REQUIRES(mutex)
      EXCLUDES(mutex_);

  /// Time stands still as long as `waits` says true: a thread sleeps until something outside the
  /// process is done. Before other threads use the clock; `waits` is called by the test's thread.
  void stand_still_while(std::function<bool()> waits) { waits_ = std::move(waits); }
  /// Returns when every other thread of the process sleeps.
  void wait_until_idle();
  /// Waits until all threads are idle, and then moves to the next time that one waits for, or to
  /// `end` when that is earlier. False: it is `end` already.
  bool step(Time end) EXCLUDES(mutex_);
  /// Waits until all threads are idle, and then adds this time at once, as after a machine's sleep:
  /// whatever was due in between is due now.
  void leap(Duration time) EXCLUDES(mutex_);

 private:
  struct Waiter {
    CondVar* cond;
    Time deadline;
  };

  /// Wakes those whose time has come. They sleep in wait_until(): step() has waited for that.
  void wake_due() REQUIRES(mutex_);

  std::function<bool()> waits_ = [] { return false; };
  mutable Mutex mutex_;
  Duration passed_ GUARDED_BY(mutex_){0};
  std::list<Waiter> waiters_ GUARDED_BY(mutex_);
};

/// The clocks of one machine in a world of QuietClock: its wall clock may be wrong. Thread-safe.
class MachineClock final : public Clock {
 public:
  /// `world` must outlive it.
  explicit MachineClock(QuietClock& world) : world_(world) {}

  /// Moves the wall clock alone, to so much after the world's.
  void set_wall(Duration ahead) { ahead_.store(ahead); }

  [[nodiscard]] Time now() const override { return world_.now(); }
  [[nodiscard]] WallTime wall_now() const override { return world_.wall_now() + ahead_.load(); }
  void wait_until(CondVar& cond, Mutex& mutex, Time deadline) override REQUIRES(mutex) {
    world_.wait_until(cond, mutex, deadline);
  }

 private:
  QuietClock& world_;
  std::atomic<Duration> ahead_{Duration::zero()};  // Says nothing about other memory.
};

}  // namespace davit::test
