#include "plugins/resourcequota/change_filter.hpp"

#include <davit/kube/pod.hpp>
#include <davit/kube/quota_scopes.hpp>
#include <davit/kube/quota_usage.hpp>

#include "plugins/resourcequota/registry.hpp"

namespace davit::resourcequota {
namespace {

/// Whether a container that both versions report has other resources now.
bool is_resized(Value old_statuses, Value statuses) {
  for (const Value each : statuses.elements()) {
    for (const Value before : old_statuses.elements()) {
      if (before[&Names::name].string() != each[&Names::name].string()) continue;
      if (!(before["resources"] == each["resources"])) return true;
    }
  }
  return false;
}

bool pod_matters(const Pod& old, const Pod& current, WallTime now) {
  for (const auto list : {&Names::container_statuses, &Names::init_container_statuses}) {
    if (is_resized(old.status()[list], current.status()[list])) return true;
  }
  if (quota::is_bounded(old.value()) != quota::is_bounded(current.value())) return true;
  return quota::is_charged(old.value(), now) && !quota::is_charged(current.value(), now);
}

/// The type of a Service as far as it counts.
std::string_view service_class(const ObjectView& service) {
  const std::string_view type = service.spec()[&Names::type].string();
  return type == "NodePort" || type == "LoadBalancer" ? type : std::string_view();
}

}  // namespace

bool matters(std::string_view qualified, const ObjectView& old, const ObjectView& current,
             WallTime now) {
  switch (counting_of(qualified)) {
    case Counting::kPods:
      return pod_matters(Pod(old.value()), Pod(current.value()), now);
    case Counting::kServices:
      return service_class(old) != service_class(current);
    case Counting::kVolumeClaims:
      return true;
    case Counting::kDeviceClaims:
    case Counting::kObjects:
      break;
  }
  return false;
}

}  // namespace davit::resourcequota
