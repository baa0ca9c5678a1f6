/// Bootstrap tokens: Secrets of type bootstrap.kubernetes.io/token in kube-system
/// (k8s.io/cluster-bootstrap).
#pragma once

#include <algorithm>
#include <davit/kube/time.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string_view>
#include <tuple>

namespace davit {

/// The type of a token's Secret.
inline constexpr std::string_view kBootstrapTokenType = "bootstrap.kubernetes.io/token";
/// The name of a token's Secret is this, followed by the token's id.
inline constexpr std::string_view kBootstrapTokenPrefix = "bootstrap-token-";

/// Whether `text` is `size` characters of a to z and 0 to 9, as both parts of a token are.
[[nodiscard]] inline bool is_bootstrap_token_part(std::string_view text, std::size_t size) {
  return text.size() == size && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
         });
}

/// Whether `text` can be the id of a token.
[[nodiscard]] inline bool is_bootstrap_token_id(std::string_view text) {
  return is_bootstrap_token_part(text, 6);
}

/// The end of a token.
struct BootstrapTokenExpiration {
  bool is_set = false;             ///< Without it a token never ends.
  std::optional<WireTime> time{};  ///< Nothing: it is not a time, and the token has ended.

  /// `text` is the decoded value of the key "expiration", which the Secret has.
  [[nodiscard]] static BootstrapTokenExpiration parse(std::string_view text) {
    const Result<WireTime> time = parse_wire_time(text);
    return {.is_set = true, .time = time ? std::optional(*time) : std::nullopt};
  }

  [[nodiscard]] bool is_over(WallTime now) const {
    if (!is_set) return false;
    if (!time) return true;
    const WireTime current = wire_time(now);
    return std::tie(time->seconds, time->nanos) <= std::tie(current.seconds, current.nanos);
  }
};

}  // namespace davit
