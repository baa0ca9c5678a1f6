/// The rules of the TTL controller: which TTL a cluster's size asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace davit::ttl {

/// For so many seconds a kubelet may use its copy of a Secret or ConfigMap.
inline constexpr std::string_view kTtlAnnotation = "node.alpha.kubernetes.io/ttl";

/// Sizes of clusters, from 0. Neighbours overlap, so that a size near a boundary does not flip.
inline constexpr std::size_t kStepCount = 5;

/// The step of a cluster that had `step` and has so many nodes now.
/// Rule: docs/spec/small-controllers.md, C2.
[[nodiscard]] std::size_t next_step(std::size_t step, std::size_t nodes);

/// In seconds. `step` is below kStepCount.
[[nodiscard]] std::int64_t ttl_of(std::size_t step);

/// Whether an annotation's text is this number, as Go's strconv.Atoi reads it: with or without a
/// sign and leading zeros.
[[nodiscard]] bool is_number(std::optional<std::string_view> text, std::int64_t number);

/// The strategic merge patch of a Node that sets the annotation and nothing else.
[[nodiscard]] std::string ttl_patch(std::int64_t ttl);

}  // namespace davit::ttl
