/// The usage that an object adds to the ResourceQuotas of its namespace, for the controller and the
/// server's admission. Pure; kubernetes:pkg/quota/v1/evaluator/core.
///
/// Objects are given as davit::Value, or as a type that reads another tree in the same way.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <davit/kube/amount.hpp>
#include <davit/kube/label_syntax.hpp>
#include <davit/kube/pod_resources.hpp>
#include <davit/kube/time.hpp>
#include <davit/names.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit::quota {

/// Begins the names of quotas about requests.
inline constexpr std::string_view kRequestsPrefix = "requests.";
/// Begins the names of quotas about limits.
inline constexpr std::string_view kLimitsPrefix = "limits.";
/// The prefix of the extended resource that every DeviceClass has.
inline constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

namespace detail {

inline constexpr std::string_view kClaims = "persistentvolumeclaims";
inline constexpr std::string_view kOfClass = ".storageclass.storage.k8s.io/";
inline constexpr std::string_view kStorage = "requests.storage";

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline bool is_computed(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage";
}
inline bool is_huge_pages(std::string_view name) { return name.starts_with("hugepages-"); }

/// Whether a container may request this of a vendor.
inline bool is_extended_resource(std::string_view resource) {
  return contains(resource, "/") && !contains(resource, "kubernetes.io/") &&
         !resource.starts_with(kRequestsPrefix) &&
         is_label_key(std::string(kRequestsPrefix).append(resource));
}

inline void add_requests(const Amounts& requests, Amounts& out) {
  for (const auto& [name, amount] : requests) {
    const std::string qualified = std::string(kRequestsPrefix) + name;
    if (is_computed(name) || is_huge_pages(name)) {
      out[name] = out[qualified] = amount;
    } else if (is_extended_resource(name) || name.starts_with(kDeviceClassPrefix)) {
      out[qualified] = amount;
    }
  }
}

template <typename V>
[[nodiscard]] std::int64_t node_ports(V service) {
  const V spec = service[&Names::spec];
  const std::string_view type = spec[&Names::type].string();
  const auto count = static_cast<std::int64_t>(spec[&Names::ports].count());
  if (type == "NodePort") return count;
  if (type != "LoadBalancer") return 0;
  if (spec["allocateLoadBalancerNodePorts"].boolean().value_or(true)) return count;
  std::int64_t given = 0;
  for (const V each : spec[&Names::ports].elements()) {
    given += each["nodePort"].integer_or(0) != 0 ? 1 : 0;
  }
  return given;
}

/// A claim's class, by the annotation that came before the member of its spec.
template <typename V>
[[nodiscard]] std::string_view class_of(V claim) {
  const V annotation =
      claim[&Names::metadata][&Names::annotations]["volume.beta.kubernetes.io/storage-class"];
  return annotation.text() ? annotation.string() : claim[&Names::spec]["storageClassName"].string();
}

/// The storage that was asked for, or that an expansion has reserved already.
template <typename V>
[[nodiscard]] std::optional<Amount> storage_of(V claim) {
  const std::optional<Amount> asked =
      Amount::read(claim[&Names::spec]["resources"]["requests"]["storage"]);
  if (!asked) return std::nullopt;
  const Amount requested = asked->rounded_up();
  const std::optional<Amount> reserved =
      Amount::read(claim[&Names::status]["allocatedResources"]["storage"]);
  if (reserved && reserved->rounded_up() > requested) return reserved->rounded_up();
  return requested;
}

}  // namespace detail

/// Whether the pod counts for more than its object: it has not ended, and its time to end is not
/// over. Rule: docs/spec/resourcequota.md, section 8.1.
template <typename V>
[[nodiscard]] bool is_charged(V pod, WallTime now) {
  const std::string_view phase = pod[&Names::status][&Names::phase].string();
  if (phase == "Succeeded" || phase == "Failed") return false;
  const V metadata = pod[&Names::metadata];
  const std::optional<WallTime> deletion =
      parse_time(metadata[&Names::deletion_timestamp].string());
  const std::optional<std::int64_t> grace = metadata["deletionGracePeriodSeconds"].integer();
  if (!deletion || !grace) return true;
  // So long that the sum stays within the clock's range (see kTimeMax).
  constexpr std::int64_t kGraceMax = std::int64_t{50} * 365 * 24 * 3600;
  const auto seconds = std::chrono::seconds(std::clamp<std::int64_t>(*grace, 0, kGraceMax));
  return now <= *deletion + seconds;
}

/// Everything that the pod counts for.
template <typename V>
[[nodiscard]] Amounts pod_usage(V pod, WallTime now) {
  Amounts out;
  out["count/pods"] = Amount::whole(1);
  if (!is_charged(pod, now)) return out;
  out["pods"] = Amount::whole(1);
  detail::add_requests(pod_resources<Amount>(pod, ResourceSide::kRequests), out);
  for (const auto& [name, amount] : pod_resources<Amount>(pod, ResourceSide::kLimits)) {
    if (detail::is_computed(name)) out[std::string(kLimitsPrefix) + name] = amount;
  }
  return out;
}

/// Whether a name of a quota is about an extended resource, which pods and ResourceClaims use.
[[nodiscard]] inline bool is_extended_name(std::string_view name) {
  if (!name.starts_with(kRequestsPrefix)) return false;
  return (detail::contains(name, "/") && !detail::contains(name, "kubernetes.io/")) ||
         name.substr(kRequestsPrefix.size()).starts_with(kDeviceClassPrefix);
}

/// The names of quotas that pods count for.
[[nodiscard]] inline bool is_pod_name(std::string_view name) {
  if (name == "count/pods" || name == "pods" || is_extended_name(name)) return true;
  if (name.starts_with(kLimitsPrefix)) {
    return detail::is_computed(name.substr(kLimitsPrefix.size()));
  }
  const std::string_view bare =
      name.starts_with(kRequestsPrefix) ? name.substr(kRequestsPrefix.size()) : name;
  return detail::is_computed(bare) || detail::is_huge_pages(bare);
}

/// Everything that a Service counts for. Rule: docs/spec/resourcequota.md, section 9.1.
template <typename V>
[[nodiscard]] Amounts service_usage(V service) {
  const bool balances = service[&Names::spec][&Names::type].string() == "LoadBalancer";
  Amounts out;
  out["services"] = out["count/services"] = Amount::whole(1);
  out["services.nodeports"] = Amount::whole(detail::node_ports(service));
  out["services.loadbalancers"] = Amount::whole(balances ? 1 : 0);
  return out;
}

/// The names of quotas that Services count for.
[[nodiscard]] inline bool is_service_name(std::string_view name) {
  return name == "count/services" || name == "services" || name == "services.nodeports" ||
         name == "services.loadbalancers";
}

/// Everything that a PersistentVolumeClaim counts for. Rule: docs/spec/resourcequota.md,
/// section 9.2.
template <typename V>
[[nodiscard]] Amounts volume_claim_usage(V claim) {
  Amounts out;
  out[std::string(detail::kClaims)] = out["count/persistentvolumeclaims"] = Amount::whole(1);
  const std::string_view storage_class = detail::class_of(claim);
  const std::string prefix = std::string(storage_class) + std::string(detail::kOfClass);
  const bool has_class = !storage_class.empty();
  if (has_class) out[prefix + std::string(detail::kClaims)] = Amount::whole(1);
  if (const std::optional<Amount> storage = detail::storage_of(claim)) {
    out[std::string(detail::kStorage)] = *storage;
    if (has_class) out[prefix + std::string(detail::kStorage)] = *storage;
  }
  return out;
}

/// The names of quotas that PersistentVolumeClaims count for.
[[nodiscard]] inline bool is_volume_claim_name(std::string_view name) {
  if (name == "count/persistentvolumeclaims") return true;
  const std::size_t of_class = name.rfind(detail::kOfClass);
  const std::string_view rest =
      of_class == name.npos ? name : name.substr(of_class + detail::kOfClass.size());
  return rest == detail::kClaims || rest == detail::kStorage;
}

}  // namespace davit::quota
