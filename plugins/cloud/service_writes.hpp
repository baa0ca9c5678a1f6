/// The controller's writes to Services: patches of their status subresource.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/service.hpp>
#include <davit/result.hpp>

namespace davit::cloud {

// Rule: docs/spec/cloud.md, A8. No finalizer of somebody else is touched.

/// No request if the Service has the finalizer.
[[nodiscard]] Status add_cleanup_finalizer(const Context& cluster, const Service& service);
/// No request if it lacks it.
[[nodiscard]] Status remove_cleanup_finalizer(const Context& cluster, const Service& service);
/// Writes a LoadBalancerStatus, absent for an empty one, if its ingress is not that of the Service.
/// Success if the Service is gone.
[[nodiscard]] Status write_load_balancer(const Context& cluster, const Service& service,
                                         Value load_balancer);

}  // namespace davit::cloud
