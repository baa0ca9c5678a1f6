#include "plugins/resourcequota/registry.hpp"

#include <algorithm>
#include <davit/kube/quota_usage.hpp>
#include <iterator>

namespace davit::resourcequota {
namespace {

/// Resources that a quota may name without "count/", too.
constexpr std::string_view kAliases[] = {"configmaps", "replicationcontrollers", "resourcequotas",
                                         "secrets"};

}  // namespace

Counting counting_of(std::string_view qualified) {
  if (qualified == "pods") return Counting::kPods;
  if (qualified == "services") return Counting::kServices;
  if (qualified == "persistentvolumeclaims") return Counting::kVolumeClaims;
  if (qualified == "resourceclaims.resource.k8s.io") return Counting::kDeviceClaims;
  return Counting::kObjects;
}

quota::DeviceClasses Registry::read_device_classes() const {
  if (!device_classes || !(are_classes_filled || device_classes->synced().ok())) return {};
  return quota::DeviceClasses(values_of(device_classes->list()));
}

std::vector<Value> values_of(const List<ObjectView>& objects) {
  std::vector<Value> out;
  for (const ObjectView& each : objects) out.push_back(each.value());
  return out;
}

Registry initial_registry() {
  Registry out;
  for (const std::string_view each :
       {"configmaps", "persistentvolumeclaims", "pods", "replicationcontrollers", "resourcequotas",
        "secrets", "services"}) {
    out.evaluators.emplace(each, Evaluator{{"", "v1", std::string(each)}});
  }
  const ResourceId claims{"resource.k8s.io", "v1", "resourceclaims"};
  out.evaluators.emplace(claims.qualified(), Evaluator{claims});
  return out;
}

bool counts_for(std::string_view qualified, std::string_view name,
                const quota::DeviceClasses& classes) {
  switch (counting_of(qualified)) {
    case Counting::kPods:
      return quota::is_pod_name(name);
    case Counting::kServices:
      return quota::is_service_name(name);
    case Counting::kVolumeClaims:
      return quota::is_volume_claim_name(name);
    case Counting::kDeviceClaims:
      return quota::is_device_claim_name(name, classes);
    case Counting::kObjects:
      break;
  }
  constexpr std::string_view kCount = "count/";
  if (name.starts_with(kCount)) return name.substr(kCount.size()) == qualified;
  const bool has_alias =
      std::find(std::begin(kAliases), std::end(kAliases), qualified) != std::end(kAliases);
  return has_alias && name == qualified;
}

}  // namespace davit::resourcequota
