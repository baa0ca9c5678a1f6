/// The names of pods and claims, and the ordinals in them. Pure.
///
/// Rules: docs/spec/statefulset.md, 2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace davit::statefulset {

/// The parts of a pod's name.
struct PodName {
  std::string_view parent = {};  ///< Empty for a name without an ordinal.
  std::int64_t ordinal = -1;     ///< -1 without one, and for one beyond int32.

  friend bool operator==(const PodName&, const PodName&) = default;
};

/// Splits "<parent>-<digits>" at the last dash. Lives like `name`.
[[nodiscard]] PodName parse_pod_name(std::string_view name);

[[nodiscard]] std::string pod_name(std::string_view set, std::int64_t ordinal);

/// The claim of a pod for one of the set's claim templates.
[[nodiscard]] std::string claim_name(std::string_view claim_template, std::string_view pod);

/// The ordinals that a set's pods should have.
struct OrdinalRange {
  std::int64_t first = 0;
  std::int64_t count = 0;

  [[nodiscard]] bool contains(std::int64_t ordinal) const {
    return ordinal >= first && ordinal - first < count;
  }
};

}  // namespace davit::statefulset
