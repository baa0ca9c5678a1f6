#include "plugins/cloud/service_rules.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <iterator>

namespace davit::cloud {

bool wants_load_balancer(const Service& service, const LoadBalancerClasses& classes) {
  return service.type() == "LoadBalancer" && classes.has(service.spec()["loadBalancerClass"]);
}

bool needs_cleanup(const Service& service, const LoadBalancerClasses& classes) {
  if (!service.has_finalizer(kCleanupFinalizer)) {
    return service.is_being_deleted() && wants_load_balancer(service, classes);
  }
  return service.is_being_deleted() || service.type() != "LoadBalancer";
}

bool is_of_another_class(const Service& service, const LoadBalancerClasses& classes) {
  return service.type() == "LoadBalancer" && !classes.has(service.spec()["loadBalancerClass"]);
}

bool has_changed(const Service& old, const Service& current, const LoadBalancerClasses& classes) {
  const bool wants = wants_load_balancer(current, classes);
  if (wants != wants_load_balancer(old, classes)) return true;
  if (!wants) return false;
  constexpr std::string_view kFields[] = {
      "loadBalancerSourceRanges", "ports",       "sessionAffinity",       "sessionAffinityConfig",
      "loadBalancerIP",           "externalIPs", "externalTrafficPolicy", "healthCheckNodePort"};
  return old.uid() != current.uid() || !(old.annotations() == current.annotations()) ||
         old.ip_families().count() != current.ip_families().count() ||
         std::any_of(std::begin(kFields), std::end(kFields), [&](std::string_view each) {
           return !(old.spec()[each] == current.spec()[each]);
         });
}

std::string comparable_ingress(Value load_balancer) {
  if (load_balancer["ingress"].count() == 0) return {};
  JsonWriter out;
  out.begin_array();
  for (const Value each : load_balancer["ingress"].elements()) {
    const std::string_view ip = each[&Names::ip].string();
    const std::string_view mode = each["ipMode"].string();
    out.begin_object().member("ip", ip).member("hostname", each[&Names::hostname].string());
    out.member("ipMode", mode.empty() && !ip.empty() ? "VIP" : mode).key("ports").begin_array();
    for (const Value port : each[&Names::ports].elements()) {
      out.begin_object().member("port", port[&Names::port].integer_or(0));
      out.member("protocol", port[&Names::protocol].string());
      out.member("error", port["error"].string()).end_object();
    }
    out.end_array().end_object();
  }
  return std::move(out.end_array()).text();
}

}  // namespace davit::cloud
