/// Derives the subsets of an Endpoints object from a Service and its pods.
#pragma once

#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>
#include <span>
#include <string>
#include <vector>

#include "plugins/shared/endpoint/ip_address.hpp"
#include "plugins/shared/endpoint/subset.hpp"

namespace davit::endpoint {

/// Canonical, before truncation. `notes` gets a line for each pod or port that was left out for
/// lack of an address or a number.
struct SubsetPlan {
  Subsets subsets;
  std::vector<std::string> notes;
};

/// `pods`: all that the Service selects, those too that do not count.
[[nodiscard]] SubsetPlan plan_subsets(const Service& service, std::span<const Pod> pods);

/// The one family that core/v1 Endpoints publish: the Service's first, else that of its address,
/// else that of the pod.
[[nodiscard]] IpFamily published_family(const Service& service, const Pod& pod);

/// Neither finished nor without address; terminating ones only where the Service publishes pods
/// that are not ready (endpointutil.ShouldPodBeInEndpoints).
[[nodiscard]] bool counts(const Pod& pod, const Service& service);

}  // namespace davit::endpoint
