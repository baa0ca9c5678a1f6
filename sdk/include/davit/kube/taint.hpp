/// Taints of Nodes and the tolerations of Pods. What reads a value takes davit::Value, or a type
/// that reads another tree in the same way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <davit/names.hpp>
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

  template <typename V>
  [[nodiscard]] static Taint from(V value) {
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
template <typename V>
[[nodiscard]] std::vector<Taint> taints_from(V array) {
  std::vector<Taint> taints;
  for (const V each : array.elements()) taints.push_back(Taint::from(each));
  return taints;
}

/// Those with one effect.
template <typename V>
[[nodiscard]] std::vector<Taint> taints_from(V array, std::string_view effect) {
  std::vector<Taint> taints;
  for (const V each : array.elements()) {
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
  std::optional<std::int64_t> seconds{};  ///< Nothing: forever.

  template <typename V>
  [[nodiscard]] static Toleration from(V value) {
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
template <typename V>
[[nodiscard]] std::vector<Toleration> tolerations_from(V array) {
  std::vector<Toleration> tolerations;
  for (const V each : array.elements()) tolerations.push_back(Toleration::from(each));
  return tolerations;
}

/// Whether one of `tolerations` tolerates `taint`.
[[nodiscard]] inline bool tolerates(const std::vector<Toleration>& tolerations,
                                    const Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&taint](const Toleration& each) { return each.tolerates(taint); });
}

}  // namespace davit
