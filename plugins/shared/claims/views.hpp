/// Views of claims and of groups of pods.
#pragma once

#include <cstdint>
#include <davit/kube/metadata.hpp>
#include <davit/kube/pod.hpp>
#include <string_view>

namespace davit::claims {

inline constexpr std::string_view kDevices = "resource.k8s.io";
inline constexpr std::string_view kScheduling = "scheduling.k8s.io";

/// ResourceClaim. Rule: docs/spec/dra.md, A2.
class Claim : public ObjectView {
 public:
  static constexpr Resource kResource{kDevices, "v1", "resourceclaims", "ResourceClaim"};
  using ObjectView::ObjectView;

  /// Only the presence of the allocation may be read from a cache.
  [[nodiscard]] bool is_allocated() const { return status()["allocation"].kind() == Kind::kObject; }
  /// The consumers, as {apiGroup, resource, name, uid}.
  [[nodiscard]] Value reserved_for() const { return status()["reservedFor"]; }
  /// Whether a request asks for devices as an administrator.
  [[nodiscard]] bool has_admin_access() const { return asks_for_admin(spec()); }
  /// The same of the spec of a claim or of a template.
  [[nodiscard]] static bool asks_for_admin(Value spec) {
    for (const Value each : spec["devices"]["requests"].elements()) {
      if (each["exactly"]["adminAccess"].is_true()) return true;
    }
    return false;
  }
};

/// ResourceSlice: a part of the devices of a pool, as their driver publishes them.
class Slice : public ObjectView {
 public:
  static constexpr Resource kResource{kDevices, "v1", "resourceslices", "ResourceSlice"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view driver() const { return spec()["driver"].string(); }
  [[nodiscard]] std::string_view pool() const { return spec()["pool"][&Names::name].string(); }
  /// Only the slices of the newest generation of a pool count.
  [[nodiscard]] std::int64_t generation_of_pool() const {
    return spec()["pool"][&Names::generation].integer_or(0);
  }
};

/// PodGroup, which servers have with the gate GenericWorkload.
class PodGroup : public ObjectView {
 public:
  static constexpr Resource kResource{kScheduling, "v1alpha2", "podgroups", "PodGroup"};
  using ObjectView::ObjectView;
};

/// The PodGroup that a pod names; empty: none.
[[nodiscard]] inline std::string_view group_of(const Pod& pod) {
  return pod.spec()["schedulingGroup"]["podGroupName"].string();
}

}  // namespace davit::claims
