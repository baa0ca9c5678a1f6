/// Time for controllers: monotonic time for intervals, wall time for time stamps in objects.
#pragma once

#include <chrono>

namespace davit {

using Duration = std::chrono::nanoseconds;

/// Tag for monotonic time points. Not std::steady_clock, so that no code reads that clock by
/// accident.
struct Monotonic {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Monotonic>;
  static constexpr bool is_steady = true;
};
using Time = Monotonic::time_point;

/// UTC; for time stamps that are written to the API or compared with such.
using WallTime = std::chrono::sys_time<Duration>;

}  // namespace davit
