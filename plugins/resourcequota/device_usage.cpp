#include "plugins/resourcequota/device_usage.hpp"

#include <algorithm>
#include <davit/kube/owner_reference.hpp>
#include <davit/kube/quota_usage.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace davit::resourcequota {
namespace {

using quota::kDeviceClassPrefix;
using quota::kRequestsPrefix;

constexpr std::string_view kCount = "count/resourceclaims.resource.k8s.io";
constexpr std::string_view kDevices = ".deviceclass.resource.k8s.io/devices";
constexpr std::string_view kExtendedClaim = "resource.kubernetes.io/extended-resource-claim";
/// AllocationResultsMaxSize: the most devices that a request for all of them may get.
constexpr std::int64_t kAllDevices = 32;

std::int64_t device_count(Value request) {
  const std::string_view mode = request["allocationMode"].string();
  if (mode == "ExactCount")
    return std::clamp<std::int64_t>(request["count"].integer_or(0), 0, INT32_MAX);
  return mode == "All" ? kAllDevices : 0;
}

/// Older first, then by name.
bool precedes(const ObjectView& a, const ObjectView& b) {
  const auto key = [](const ObjectView& each) {
    return std::pair(each.creation_time().value_or(WallTime()), each.name());
  };
  return key(a) < key(b);
}

/// A claim's use of extended resources, by the names of quotas.
Amounts extended_usage(const std::map<std::string, std::int64_t>& devices,
                       const DeviceClasses& classes) {
  Amounts out;
  for (const auto& [name, count] : devices) {
    out[std::string(kRequestsPrefix).append(kDeviceClassPrefix).append(name)] +=
        Amount::whole(count);
    const std::string_view resource = classes.resource_of(name);
    if (!resource.empty())
      out[std::string(kRequestsPrefix).append(resource)] += Amount::whole(count);
  }
  return out;
}

}  // namespace

DeviceClasses::DeviceClasses(const List<ObjectView>& classes) {
  std::vector<ObjectView> sorted(classes.begin(), classes.end());
  // The newest class of a resource comes first, and the smaller name of two that are equally new.
  std::sort(sorted.begin(), sorted.end(), [](const ObjectView& a, const ObjectView& b) {
    const WallTime of_a = a.creation_time().value_or(WallTime());
    const WallTime of_b = b.creation_time().value_or(WallTime());
    return of_a != of_b ? of_a > of_b : a.name() < b.name();
  });
  for (const ObjectView& each : sorted) {
    const std::string_view resource = each.spec()["extendedResourceName"].string();
    resource_of_.emplace(each.name(), resource);
    if (!resource.empty()) class_of_.emplace(resource, each.name());
  }
}

std::string_view DeviceClasses::resource_of(std::string_view name) const {
  const auto found = resource_of_.find(name);
  return found == resource_of_.end() ? std::string_view() : found->second;
}

bool DeviceClasses::has_class(std::string_view resource) const {
  if (resource.starts_with(kDeviceClassPrefix))
    return is_known(resource.substr(kDeviceClassPrefix.size()));
  return class_of_.contains(resource);
}

bool is_claim_name(std::string_view name, const DeviceClasses& classes) {
  if (name == kCount || name.ends_with(kDevices)) return true;
  return name.starts_with(kRequestsPrefix) &&
         classes.has_class(name.substr(kRequestsPrefix.size()));
}

std::map<std::string, std::int64_t> devices_of(const ObjectView& claim) {
  std::map<std::string, std::int64_t> out;
  for (const Value request : claim.spec()["devices"]["requests"].elements()) {
    const Value exactly = request["exactly"];
    if (exactly.kind() == Kind::kObject) {
      out[std::string(exactly["deviceClassName"].string())] += device_count(exactly);
    }
    std::map<std::string, std::int64_t> most;  // Only one of the alternatives is taken.
    for (const Value each : request["firstAvailable"].elements()) {
      std::int64_t& count = most[std::string(each["deviceClassName"].string())];
      count = std::max(count, device_count(each));
    }
    for (const auto& [name, count] : most) out[name] += count;
  }
  return out;
}

Amounts claim_usage(const ObjectView& claim, const DeviceClasses& classes,
                    const Amounts& of_owner) {
  Amounts out;
  out[std::string(kCount)] = Amount::whole(1);
  const std::map<std::string, std::int64_t> devices = devices_of(claim);
  for (const auto& [name, count] : devices)
    out[name + std::string(kDevices)] = Amount::whole(count);
  for (auto [name, amount] : extended_usage(devices, classes)) {
    if (const auto counted = of_owner.find(name); counted != of_owner.end()) {
      amount -= counted->second;
    }
    if (amount.is_positive()) out[name] = amount;
  }
  return out;
}

std::string_view extended_owner(const ObjectView& claim) {
  if (claim.annotation(kExtendedClaim) != "true") return {};
  const std::optional<OwnerReference> owner = claim.controller();
  const bool is_pod = owner && owner->kind() == "Pod" && owner->api_version() == "v1";
  return is_pod ? owner->name() : std::string_view();
}

bool is_extended_claim_of(const ObjectView& claim, const Pod& pod, const List<ObjectView>& claims) {
  if (extended_owner(claim) != pod.name() || !claim.is_controlled_by(pod)) return false;
  const Value status = pod.status()["extendedResourceClaimStatus"];
  if (status.kind() == Kind::kObject) return status["resourceClaimName"].string() == claim.name();
  return std::none_of(claims.begin(), claims.end(), [&](const ObjectView& each) {
    return each.name() != claim.name() && extended_owner(each) == pod.name() &&
           each.is_controlled_by(pod) && precedes(each, claim);
  });
}

}  // namespace davit::resourcequota
