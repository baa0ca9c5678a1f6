/// Durations with a sign, which Go's flags and metrics take; the SDK's parse_duration() does not.
#pragma once

#include <davit/kube/duration.hpp>
#include <optional>
#include <string_view>

namespace davit::options {

/// "15s", "-1m30s"; nothing for other text. Go's time.ParseDuration, except for a plus sign.
[[nodiscard]] inline std::optional<Duration> parse_signed_duration(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const std::optional<Duration> length = parse_duration(text.substr(is_negative ? 1 : 0));
  return length && is_negative ? -*length : length;
}

}  // namespace davit::options
