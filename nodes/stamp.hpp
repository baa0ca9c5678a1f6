/// One moment on both clocks.
#pragma once

#include "lib/base/clock.hpp"

namespace davit::sandbox {

/// Read once for each step, so that what is decided together carries one time.
struct Moment {
  Time now;
  WallTime wall;

  [[nodiscard]] static Moment read(const Clock& clock) { return {clock.now(), clock.wall_now()}; }
  /// The wall-clock time at another monotonic time.
  [[nodiscard]] WallTime wall_at(Time time) const { return wall + (time - now); }
  [[nodiscard]] Time monotonic_at(WallTime time) const { return now + (time - wall); }
};

}  // namespace davit::sandbox
