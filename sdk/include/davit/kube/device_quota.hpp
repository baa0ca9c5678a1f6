/// The usage that a ResourceClaim adds to the ResourceQuotas of its namespace, for the controller
/// and the server's admission. Pure; kubernetes:pkg/quota/v1/evaluator/core claimEvaluator.
///
/// Objects are given as davit::Value, or as a type that reads another tree in the same way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <davit/kube/amount.hpp>
#include <davit/kube/quota_usage.hpp>
#include <davit/kube/time.hpp>
#include <davit/names.hpp>
#include <davit/time.hpp>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::quota {

namespace detail {

inline constexpr std::string_view kClaimCount = "count/resourceclaims.resource.k8s.io";
inline constexpr std::string_view kDevices = ".deviceclass.resource.k8s.io/devices";
inline constexpr std::string_view kExtendedClaim = "resource.kubernetes.io/extended-resource-claim";

/// The text of metadata.name, metadata.uid and the like.
template <typename V>
[[nodiscard]] std::string_view metadata_text(V object, Name Names::*member) {
  return object[&Names::metadata][member].string();
}

template <typename V>
[[nodiscard]] WallTime creation_of(V object) {
  return parse_time(metadata_text(object, &Names::creation_timestamp)).value_or(WallTime());
}

/// The controller reference; absent if there is no such reference.
template <typename V>
[[nodiscard]] V controller_of(V object) {
  for (const V each : object[&Names::metadata][&Names::owner_references].elements()) {
    if (each[&Names::controller].is_true()) return each;
  }
  return V();
}

template <typename V>
[[nodiscard]] std::int64_t device_count(V request) {
  // AllocationResultsMaxSize: the most devices that a request for all of them may get.
  constexpr std::int64_t kAllDevices = 32;
  const std::string_view mode = request["allocationMode"].string();
  if (mode == "ExactCount") {
    return std::clamp<std::int64_t>(request["count"].integer_or(0), 0, INT32_MAX);
  }
  return mode == "All" ? kAllDevices : 0;
}

/// The number of devices of each class that a claim may get. Rule: docs/spec/resourcequota.md,
/// section 9.3.
template <typename V>
[[nodiscard]] std::map<std::string, std::int64_t> devices_of(V claim) {
  std::map<std::string, std::int64_t> out;
  for (const V request : claim[&Names::spec]["devices"]["requests"].elements()) {
    const V exactly = request["exactly"];
    if (!exactly.is_absent()) {
      out[std::string(exactly["deviceClassName"].string())] += device_count(exactly);
    }
    std::map<std::string, std::int64_t> most;  // Only one of the alternatives is taken.
    for (const V each : request["firstAvailable"].elements()) {
      std::int64_t& count = most[std::string(each["deviceClassName"].string())];
      count = std::max(count, device_count(each));
    }
    for (const auto& [name, count] : most) out[name] += count;
  }
  return out;
}

}  // namespace detail

/// The DeviceClasses, and the extended resources that they stand for.
/// Rule: docs/spec/resourcequota.md, section 9.4.
class DeviceClasses {
 public:
  DeviceClasses() = default;
  template <typename V>
  explicit DeviceClasses(std::vector<V> classes) {
    // The newest class of a resource comes first, and the smaller name of two that are equally new.
    std::sort(classes.begin(), classes.end(), [](V a, V b) {
      const WallTime of_a = detail::creation_of(a);
      const WallTime of_b = detail::creation_of(b);
      if (of_a != of_b) return of_a > of_b;
      return detail::metadata_text(a, &Names::name) < detail::metadata_text(b, &Names::name);
    });
    for (const V each : classes) {
      const std::string_view name = detail::metadata_text(each, &Names::name);
      const std::string_view resource = each[&Names::spec]["extendedResourceName"].string();
      resource_of_.emplace(name, resource);
      if (!resource.empty()) class_of_.emplace(resource, name);
    }
  }

  [[nodiscard]] bool is_known(std::string_view name) const { return resource_of_.contains(name); }
  /// The extended resource that a class names; empty if it names none.
  [[nodiscard]] std::string_view resource_of(std::string_view name) const {
    const auto found = resource_of_.find(name);
    return found == resource_of_.end() ? std::string_view() : found->second;
  }
  /// Whether an extended resource leads to a class.
  [[nodiscard]] bool has_class(std::string_view resource) const {
    if (resource.starts_with(kDeviceClassPrefix)) {
      return is_known(resource.substr(kDeviceClassPrefix.size()));
    }
    return class_of_.contains(resource);
  }

 private:
  std::map<std::string, std::string, std::less<>> resource_of_;
  std::map<std::string, std::string, std::less<>> class_of_;  // The keys are extended resources.
};

/// The names of quotas that ResourceClaims count for.
[[nodiscard]] inline bool is_device_claim_name(std::string_view name,
                                               const DeviceClasses& classes) {
  if (name == detail::kClaimCount || name.ends_with(detail::kDevices)) return true;
  return name.starts_with(kRequestsPrefix) &&
         classes.has_class(name.substr(kRequestsPrefix.size()));
}

/// Everything that a ResourceClaim counts for; `of_owner` is the usage of its pod, if the claim was
/// made for the extended resources of that pod, and else empty.
template <typename V>
[[nodiscard]] Amounts device_claim_usage(V claim, const DeviceClasses& classes,
                                         const Amounts& of_owner) {
  Amounts out;
  out[std::string(detail::kClaimCount)] = Amount::whole(1);
  Amounts extended;
  for (const auto& [name, count] : detail::devices_of(claim)) {
    out[name + std::string(detail::kDevices)] = Amount::whole(count);
    extended[std::string(kRequestsPrefix).append(kDeviceClassPrefix).append(name)] +=
        Amount::whole(count);
    const std::string_view resource = classes.resource_of(name);
    if (resource.empty()) continue;
    extended[std::string(kRequestsPrefix).append(resource)] += Amount::whole(count);
  }
  for (auto& [name, amount] : extended) {
    if (const auto counted = of_owner.find(name); counted != of_owner.end()) {
      amount -= counted->second;
    }
    if (amount.is_positive()) out[name] = amount;
  }
  return out;
}

/// The name of the pod that a claim for extended resources was made for; empty for other claims.
template <typename V>
[[nodiscard]] std::string_view extended_owner(V claim) {
  const V annotations = claim[&Names::metadata][&Names::annotations];
  if (annotations[detail::kExtendedClaim].string() != "true") return {};
  const V owner = detail::controller_of(claim);
  const bool is_pod =
      owner[&Names::kind].string() == "Pod" && owner[&Names::api_version].string() == "v1";
  return is_pod ? owner[&Names::name].string() : std::string_view();
}

/// Whether a claim was made for the extended resources of the pod. `claims`: those of its
/// namespace; a pod has at most one of this kind.
template <typename V>
[[nodiscard]] bool is_extended_claim_of(V claim, V pod, const std::vector<V>& claims) {
  const auto names_pod = [&pod](V each) {
    return extended_owner(each) == detail::metadata_text(pod, &Names::name) &&
           detail::controller_of(each)[&Names::uid].string() ==
               detail::metadata_text(pod, &Names::uid);
  };
  if (!names_pod(claim)) return false;
  const std::string_view name = detail::metadata_text(claim, &Names::name);
  const V status = pod[&Names::status]["extendedResourceClaimStatus"];
  if (!status.is_absent()) return status["resourceClaimName"].string() == name;
  // The older one counts, and the smaller name of two that are equally old.
  const auto age_of = [](V each) {
    return std::pair(detail::creation_of(each), detail::metadata_text(each, &Names::name));
  };
  return std::none_of(claims.begin(), claims.end(), [&](V each) {
    return detail::metadata_text(each, &Names::name) != name && names_pod(each) &&
           age_of(each) < age_of(claim);
  });
}

}  // namespace davit::quota
