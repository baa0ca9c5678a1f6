/// Time as an injected seam. All code reads time from a Clock, so that a test controls it.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/time.hpp>
#include <memory>

#include "lib/base/mutex.hpp"

namespace davit {

/// Whole seconds, rounded toward zero: the resolution of the API and of text.
inline std::int64_t whole_seconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

/// Tag for time points that advance while the machine is suspended. Not the type of Time, because
/// the two drift apart with every suspension.
struct Boottime : Monotonic {
  using time_point = std::chrono::time_point<Boottime>;
};
using BootTime = Boottime::time_point;

/// A source of time. Thread-safe.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  [[nodiscard]] virtual Time now() const = 0;
  [[nodiscard]] virtual WallTime wall_now() const = 0;
  /// Monotonic like now(), but also advances while the machine is suspended. For times that other
  /// machines measure too, such as a lease. On a clock that is never suspended, it equals now().
  [[nodiscard]] virtual BootTime boot_now() const { return BootTime(now().time_since_epoch()); }
  /// Waits until `cond` is notified, `deadline` passes on this clock, or spuriously. `mutex` is
  /// held before and after.
  virtual void wait_until(CondVar& cond, Mutex& mutex, Time deadline) REQUIRES(mutex) = 0;
};

/// The machine's clocks.
[[nodiscard]] std::unique_ptr<Clock> make_system_clock();

}  // namespace davit
