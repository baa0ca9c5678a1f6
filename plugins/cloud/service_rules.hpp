/// The Services that concern the controller, and their changes that do. Pure.
#pragma once

#include <davit/cloud_data.hpp>
#include <davit/kube/service.hpp>
#include <string>
#include <string_view>

namespace davit::cloud {

/// The finalizer that keeps a Service until its load balancer is gone.
inline constexpr std::string_view kCleanupFinalizer = "service.kubernetes.io/load-balancer-cleanup";

/// Whether the Service asks for a load balancer, and not for one of another class than those of the
/// provider. Rule: docs/spec/cloud.md, A1.
[[nodiscard]] bool wants_load_balancer(const Service& service, const LoadBalancerClasses& classes);
/// Whether its load balancer has to go. Rule: A1; a Service that is being deleted and has lost its
/// finalizer counts, too (D18).
[[nodiscard]] bool needs_cleanup(const Service& service, const LoadBalancerClasses& classes);
/// Whether the Service is for another controller, which may use the same finalizer. One that has
/// changed its type has no class any more. Rule: A5, D19.
[[nodiscard]] bool is_of_another_class(const Service& service, const LoadBalancerClasses& classes);
/// Whether the provider has to look at the change. Rule: A2.
[[nodiscard]] bool has_changed(const Service& old, const Service& current,
                               const LoadBalancerClasses& classes);

/// The ingress of a LoadBalancerStatus in a form in which two can be compared: with the defaults of
/// the server (D6). Empty: none.
[[nodiscard]] std::string comparable_ingress(Value load_balancer);

}  // namespace davit::cloud
