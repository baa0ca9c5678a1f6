/// Taints of Nodes and the tolerations of Pods.
#pragma once

#include <cstdint>
#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// The effect of a taint that keeps new pods off the node.
inline constexpr std::string_view kNoSchedule = "NoSchedule";
/// The effect of a taint that also evicts the pods of the node.
inline constexpr std::string_view kNoExecute = "NoExecute";

/// One taint. Key and effect are its identity.
struct Taint {
  std::string key{};
  std::string value{};
  std::string effect{};
  std::string time_added{};  ///< The server's text; empty: none.

  [[nodiscard]] static Taint from(Value value) {
    return {std::string(value[&Names::key].string()), std::string(value[&Names::value].string()),
            std::string(value[&Names::effect].string()),
            std::string(value[&Names::time_added].string())};
  }
  /// Taint.MatchTaint: another value or time is still the same taint.
  [[nodiscard]] bool is_same(const Taint& other) const {
    return key == other.key && effect == other.effect;
  }
  friend bool operator==(const Taint&, const Taint&) = default;
};

/// Those of a `spec.taints` array, in its order.
[[nodiscard]] inline std::vector<Taint> taints_from(Value array) {
  std::vector<Taint> taints;
  for (const Value each : array.elements()) taints.push_back(Taint::from(each));
  return taints;
}

/// Those with one effect.
[[nodiscard]] inline std::vector<Taint> taints_from(Value array, std::string_view effect) {
  std::vector<Taint> taints;
  for (const Value each : array.elements()) {
    if (each[&Names::effect].string() == effect) taints.push_back(Taint::from(each));
  }
  return taints;
}

/// A toleration of a pod: the taints that do not keep it from a node, or evict it from there.
struct Toleration {
  std::string key{};  ///< Empty: every key.
  std::string op{};   ///< Empty: Equal.
  std::string value{};
  std::string effect{};                   ///< Empty: every effect.
  std::optional<std::int64_t> seconds{};  ///< Nothing: for ever.

  [[nodiscard]] static Toleration from(Value value) {
    return {std::string(value[&Names::key].string()), std::string(value[&Names::op].string()),
            std::string(value[&Names::value].string()), std::string(value[&Names::effect].string()),
            value[&Names::toleration_seconds].integer()};
  }
  /// Toleration.ToleratesTaint; Lt and Gt, which need a feature gate of alpha state, tolerate
  /// nothing.
  [[nodiscard]] bool tolerates(const Taint& taint) const {
    if (!effect.empty() && effect != taint.effect) return false;
    if (!key.empty() && key != taint.key) return false;
    if (op.empty() || op == "Equal") return value == taint.value;
    return op == "Exists";
  }
  friend bool operator==(const Toleration&, const Toleration&) = default;
};

/// Those of a `spec.tolerations` array, in its order.
[[nodiscard]] inline std::vector<Toleration> tolerations_from(Value array) {
  std::vector<Toleration> tolerations;
  for (const Value each : array.elements()) tolerations.push_back(Toleration::from(each));
  return tolerations;
}

}  // namespace davit
