/// One moment on both clocks, and times as objects carry them.
#pragma once

#include <davit/kube/time.hpp>
#include <string>

#include "lib/base/clock.hpp"

namespace davit::sandbox {

/// Read once for each step, so that what is decided together carries one time.
struct Moment {
  host::Time now;
  host::WallTime wall;

  [[nodiscard]] static Moment read(const host::Clock& clock) {
    return {clock.now(), clock.wall_now()};
  }
  /// What the wall showed at another monotonic time.
  [[nodiscard]] host::WallTime wall_at(host::Time time) const { return wall + (time - now); }
  [[nodiscard]] host::Time monotonic_at(host::WallTime time) const { return now + (time - wall); }
};

/// metav1.MicroTime: "2006-01-02T15:04:05.000000Z".
[[nodiscard]] inline std::string format_micro_time(host::WallTime time) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  const std::string fraction = std::to_string(1'000'000 + micros.count() % 1'000'000).substr(1);
  std::string text = format_time(time);
  text.replace(text.size() - 1, 1, "." + fraction + "Z");
  return text;
}

}  // namespace davit::sandbox
