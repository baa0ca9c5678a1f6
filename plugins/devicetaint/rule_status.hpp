/// The condition EvictionInProgress of a DeviceTaintRule. Rule: docs/spec/dra.md, B6.
#pragma once

#include <cstdint>
#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/devicetaint/eviction.hpp"

namespace davit::devicetaint {

/// At most one write of a status in this time.
inline constexpr Duration kStatusPeriod = std::chrono::seconds(10);

/// The condition as it should be.
struct RuleCondition {
  std::string_view status;
  std::string_view reason;
  std::string message;
};

/// `evicted`: the pods that were evicted because of the rule.
[[nodiscard]] RuleCondition rule_condition(const Caches& caches, const Rule& rule,
                                           std::int64_t evicted, WallTime now);

/// The time that the status has to wait because it was written a moment ago; nothing: none.
[[nodiscard]] std::optional<Duration> status_rest(const Rule& rule, WallTime now);

/// The body of the apply that sets the condition; empty if the rule has it.
[[nodiscard]] std::string rule_status_body(const Rule& rule, const RuleCondition& wanted,
                                           WallTime now);

}  // namespace davit::devicetaint
