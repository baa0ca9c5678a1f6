/// One moment on both clocks, and times as objects carry them.
#pragma once

#include <davit/kube/time.hpp>
#include <string>

#include "lib/base/clock.hpp"

namespace davit::sandbox {

/// Read once for each step, so that what is decided together carries one time.
struct Moment {
  Time now;
  WallTime wall;

  [[nodiscard]] static Moment read(const Clock& clock) { return {clock.now(), clock.wall_now()}; }
  /// What the wall showed at another monotonic time.
  [[nodiscard]] WallTime wall_at(Time time) const { return wall + (time - now); }
  [[nodiscard]] Time monotonic_at(WallTime time) const { return now + (time - wall); }
};

/// metav1.MicroTime: "2006-01-02T15:04:05.000000Z".
[[nodiscard]] inline std::string format_micro_time(WallTime time) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  const std::string fraction = std::to_string(1'000'000 + micros.count() % 1'000'000).substr(1);
  std::string text = format_time(time);
  text.replace(text.size() - 1, 1, "." + fraction + "Z");
  return text;
}

}  // namespace davit::sandbox
