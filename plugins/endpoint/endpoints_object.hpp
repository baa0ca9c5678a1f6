/// The Endpoints object: what it says now, whether that is right, and what to send instead.
#pragma once

#include <davit/kube/endpoints.hpp>
#include <davit/kube/service.hpp>
#include <davit/lookup.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string>

#include "plugins/shared/endpoint/subset.hpp"

namespace davit::endpoint {

inline constexpr std::string_view kManagedByLabel = "endpoints.kubernetes.io/managed-by";
inline constexpr std::string_view kHeadlessLabel = "service.kubernetes.io/headless";
inline constexpr std::string_view kManager = "endpoint-controller";
inline constexpr std::string_view kOverCapacityAnnotation = "endpoints.kubernetes.io/over-capacity";

/// Whether nothing has to be written (spec 11.1).
[[nodiscard]] bool is_right(const Endpoints& current, const Service& service,
                            const Subsets& wanted);

enum class Capacity { kWithin, kTruncated };

/// The body of a POST (`current` absent) or PUT: the current object with subsets and labels
/// replaced and the controller's own annotations set or removed; everything else stays.
[[nodiscard]] std::string endpoints_body(const Lookup<Endpoints>& current, const Service& service,
                                         const Subsets& subsets, Capacity capacity,
                                         std::optional<WallTime> trigger);

}  // namespace davit::endpoint
