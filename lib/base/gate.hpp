/// Shutdown as a type: no new work after close(), and a wait for the work that is inside.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit {

/// Thread-safe. Outlives every Pass.
class Gate {
 public:
  /// Being inside; leaves when destroyed.
  class Pass {
   public:
    explicit Pass(Gate& gate) : gate_(&gate) {}
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (gate_ != nullptr) gate_->leave();
    }

   private:
    Gate* gate_;
  };

  /// Nothing once the gate is closed.
  [[nodiscard]] std::optional<Pass> enter() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (closed_) return std::nullopt;
    ++inside_;
    return Pass(*this);
  }

  void close() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_ = true;
  }

  /// Lets work in again.
  void open() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_ = false;
  }

  /// Waits until no call is inside; false if `deadline` comes first.
  [[nodiscard]] bool wait_empty(Clock& clock, Time deadline) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (inside_ > 0) {
      if (clock.now() >= deadline) return false;
      clock.wait_until(empty_, mutex_, deadline);
    }
    return true;
  }

 private:
  void leave() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (--inside_ == 0) empty_.notify_all();
  }

  Mutex mutex_;
  CondVar empty_;
  std::size_t inside_ GUARDED_BY(mutex_) = 0;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace davit
