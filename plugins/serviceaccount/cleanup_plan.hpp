/// The rules of the legacy token cleaner: which tokens are marked and which deleted. Pure.
#pragma once

#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/serviceaccount/views.hpp"

namespace davit::serviceaccount {

inline constexpr std::string_view kLastUsedLabel = "kubernetes.io/legacy-token-last-used";
inline constexpr std::string_view kInvalidSinceLabel = "kubernetes.io/legacy-token-invalid-since";

/// The day in UTC: "2024-05-01".
[[nodiscard]] std::string day_text(WallTime time);
/// The beginning of a day in that form; nothing for any other text.
[[nodiscard]] std::optional<WallTime> parse_day(std::string_view text);

/// Whether the server has recorded the use of tokens for the whole period. `since`: the day on
/// which it began.
[[nodiscard]] bool is_tracked_long_enough(WallTime since, WallTime now, Duration period);

/// The decision about a token that no pod uses.
enum class TokenFate {
  kKept,
  kMarked,   ///< It becomes invalid today.
  kDeleted,  ///< It has been invalid for the period.
};

/// `account`: the one that the Secret names; absent: there is none.
/// Rule: docs/spec/serviceaccount.md, part D, steps 3 to 5, without the pods.
[[nodiscard]] TokenFate fate_of(const TokenSecret& secret,
                                const std::optional<ServiceAccount>& account, WallTime now,
                                Duration period);

/// The merge patch that marks a token as invalid from today on.
[[nodiscard]] std::string mark_patch(const TokenSecret& secret, WallTime now);

}  // namespace davit::serviceaccount
