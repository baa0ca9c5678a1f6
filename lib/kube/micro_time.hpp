/// metav1.MicroTime.
#pragma once

#include <davit/kube/time.hpp>
#include <string>

namespace davit {

/// "2006-01-02T15:04:05.000000Z". Rounds down.
[[nodiscard]] inline std::string format_micro_time(WallTime time) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  const auto fraction = micros - std::chrono::floor<std::chrono::seconds>(micros);
  const std::string digits = std::to_string(1'000'000 + fraction.count()).substr(1);
  std::string text = format_time(time);
  text.replace(text.size() - 1, 1, "." + digits + "Z");
  return text;
}

}  // namespace davit
