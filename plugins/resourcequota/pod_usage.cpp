#include "plugins/resourcequota/pod_usage.hpp"

#include <algorithm>
#include <davit/kube/label_syntax.hpp>
#include <davit/kube/pod_resources.hpp>
#include <iterator>
#include <optional>
#include <string>

namespace davit::resourcequota {
namespace {

constexpr std::string_view kLimits = "limits.";
constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kComputed[] = {"cpu", "memory", "ephemeral-storage"};

bool is_computed(std::string_view name) {
  return std::find(std::begin(kComputed), std::end(kComputed), name) != std::end(kComputed);
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Whether a container may request this of a vendor.
bool is_extended_resource(std::string_view resource) {
  return contains(resource, "/") && !contains(resource, "kubernetes.io/") &&
         !resource.starts_with(kRequestsPrefix) &&
         is_label_key(std::string(kRequestsPrefix).append(resource));
}

void add_requests(const Amounts& requests, Amounts& out) {
  for (const auto& [name, amount] : requests) {
    const std::string qualified = std::string(kRequestsPrefix) + name;
    if (is_computed(name) || name.starts_with(kHugePages)) {
      out[name] = out[qualified] = amount;
    } else if (is_extended_resource(name) || name.starts_with(kDeviceClassPrefix)) {
      out[qualified] = amount;
    }
  }
}

}  // namespace

bool is_charged(const Pod& pod, WallTime now) {
  if (pod.is_finished()) return false;
  const std::optional<WallTime> deletion = pod.deletion_time();
  const std::optional<std::int64_t> grace = pod.metadata()["deletionGracePeriodSeconds"].integer();
  if (!deletion || !grace) return true;
  // Longer than any clock runs.
  constexpr std::int64_t kGraceMax = std::int64_t{100} * 365 * 24 * 3600;
  const auto seconds = std::chrono::seconds(std::clamp<std::int64_t>(*grace, 0, kGraceMax));
  return now <= *deletion + seconds;
}

Amounts pod_usage(const Pod& pod, WallTime now) {
  Amounts out;
  out["count/pods"] = Amount::whole(1);
  if (!is_charged(pod, now)) return out;
  out["pods"] = Amount::whole(1);
  add_requests(pod_resources<Amount>(pod.value(), ResourceSide::kRequests), out);
  for (const auto& [name, amount] : pod_resources<Amount>(pod.value(), ResourceSide::kLimits)) {
    if (is_computed(name)) out[std::string(kLimits) + name] = amount;
  }
  return out;
}

bool is_extended_name(std::string_view name) {
  if (!name.starts_with(kRequestsPrefix)) return false;
  return (contains(name, "/") && !contains(name, "kubernetes.io/")) ||
         name.substr(kRequestsPrefix.size()).starts_with(kDeviceClassPrefix);
}

bool is_pod_name(std::string_view name) {
  if (name == "count/pods" || name == "pods" || is_extended_name(name)) return true;
  if (name.starts_with(kLimits)) return is_computed(name.substr(kLimits.size()));
  const std::string_view bare =
      name.starts_with(kRequestsPrefix) ? name.substr(kRequestsPrefix.size()) : name;
  return is_computed(bare) || bare.starts_with(kHugePages);
}

}  // namespace davit::resourcequota
