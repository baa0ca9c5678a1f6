/// The usage of one pod. Pure; kubernetes:pkg/quota/v1/evaluator/core PodUsageFunc.
#pragma once

#include <davit/kube/pod.hpp>
#include <davit/time.hpp>
#include <string_view>

#include "plugins/resourcequota/amount.hpp"

namespace davit::resourcequota {

/// Begins the names of quotas about requests.
inline constexpr std::string_view kRequestsPrefix = "requests.";
/// The prefix of the extended resource that every DeviceClass has.
inline constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

/// Whether the pod counts for more than its object: it has not ended, and its time to end is not
/// over. Rule: docs/spec/resourcequota.md, section 8.1.
[[nodiscard]] bool is_charged(const Pod& pod, WallTime now);

/// Everything that the pod counts for.
[[nodiscard]] Amounts pod_usage(const Pod& pod, WallTime now);

/// Whether a name of a quota is about an extended resource, which pods and ResourceClaims use.
[[nodiscard]] bool is_extended_name(std::string_view name);

/// The names of quotas that pods count for.
[[nodiscard]] bool is_pod_name(std::string_view name);

}  // namespace davit::resourcequota
