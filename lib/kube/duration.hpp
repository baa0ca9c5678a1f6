/// Durations in Go's notation, with a sign: "-1h30m", "1.5s".
#pragma once

#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit {

/// Go's time.ParseDuration: an optional sign, then parse_duration() (davit/kube/duration.hpp).
[[nodiscard]] std::optional<Duration> parse_signed_duration(std::string_view text);

/// Go's Duration.String: "1h30m0s", "1.5s", "0s".
[[nodiscard]] std::string format_duration(Duration value);

}  // namespace davit
