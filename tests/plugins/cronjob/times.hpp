/// Times and zones of these tests.
#pragma once

#include <davit/kube/time.hpp>
#include <string_view>

#include "plugins/cronjob/time_zone.hpp"

namespace davit::schedule {

/// The time of RFC 3339.
[[nodiscard]] inline Instant at(std::string_view text) {
  return std::chrono::floor<std::chrono::seconds>(parse_time(text).value());
}

[[nodiscard]] inline TimeZone zone(std::string_view name) {
  return TimeZone::load(name, TimeZone()).value();
}

}  // namespace davit::schedule
