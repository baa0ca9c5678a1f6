/// Time as an injected seam. All code takes its time from a Clock, so that a test owns it.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/time.hpp>
#include <memory>

#include "lib/base/mutex.hpp"

namespace davit {

/// The resolution of text and the API: whole seconds, cut off.
inline std::int64_t whole_seconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

/// Tag for time points that advance while the machine is suspended. Another type than Time, because
/// the two drift apart with every suspension.
struct Boottime : Monotonic {
  using time_point = std::chrono::time_point<Boottime>;
};
using BootTime = Boottime::time_point;

/// Thread-safe.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  [[nodiscard]] virtual Time now() const = 0;
  [[nodiscard]] virtual WallTime wall_now() const = 0;
  /// Monotonic like now(), and counts the time for which the machine was suspended: for what other
  /// machines hold against us meanwhile, such as a lease. A clock that is never suspended keeps it
  /// together with now().
  [[nodiscard]] virtual BootTime boot_now() const { return BootTime(now().time_since_epoch()); }
  /// Waits until `cond` is notified, `deadline` passes on this clock, or spuriously. `mutex` is
  /// held before and after.
  virtual void wait_until(CondVar& cond, Mutex& mutex, Time deadline) REQUIRES(mutex) = 0;
};

/// The machine's clocks.
[[nodiscard]] std::unique_ptr<Clock> make_system_clock();

}  // namespace davit
