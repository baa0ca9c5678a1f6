/// The claims that a pod or PodGroup names. Pure. Rules: docs/spec/dra.md, A3 and A7.
#pragma once

#include <cstdint>
#include <davit/kube/metadata.hpp>
#include <davit/kube/pod.hpp>
#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "plugins/shared/claims/views.hpp"

namespace davit::claims {

/// A pod or PodGroup: spec.resourceClaims and status.resourceClaimStatuses have the same form.
struct Consumer {
  explicit Consumer(const Pod& pod) : object(pod), resource(Pod::kResource) {}
  explicit Consumer(const PodGroup& group) : object(group), resource(PodGroup::kResource) {}

  ObjectView object;
  Resource resource;

  [[nodiscard]] bool is_pod() const { return resource.group.empty(); }
  [[nodiscard]] Value claims() const { return object.spec()["resourceClaims"]; }
  [[nodiscard]] Value statuses() const { return object.status()["resourceClaimStatuses"]; }
  /// Whether it controls the claim.
  [[nodiscard]] bool owns(const Claim& claim) const { return claim.is_controlled_by(identity()); }
  [[nodiscard]] ControllerIdentity identity() const {
    return {resource.kind, object.ns(), object.name(), object.uid()};
  }
};

/// The claim that stands behind one entry of spec.resourceClaims.
struct ClaimName {
  enum class State : std::uint8_t {
    kNamed,      ///< `name` counts.
    kNotNeeded,  ///< It was found out before that none is needed.
    kNotYet,     ///< It has to be made from a template.
    kInvalid,    ///< The entry has no field that is known.
  };
  State state = State::kInvalid;
  std::string_view name = {};
  bool is_made = false;  ///< From a template: it counts only if the consumer owns it.
};

/// `entry` is one of consumer.claims().
[[nodiscard]] ClaimName claim_name(const Consumer& consumer, Value entry);

/// The error of a name that is kInvalid; ok for others.
[[nodiscard]] Status check_name(const Consumer& consumer, Value entry, const ClaimName& name);

/// Calls `visit(std::string_view)` for each claim that the consumer names by now.
template <typename Visit>
void each_claim_name(const Consumer& consumer, const Visit& visit) {
  for (const Value each : consumer.claims().elements()) {
    const ClaimName name = claim_name(consumer, each);
    if (name.state == ClaimName::State::kNamed) visit(name.name);
  }
}

/// Whether the pod's entry is that of its group, too: the claim is the group's then.
[[nodiscard]] bool is_of_group(const PodGroup& group, Value entry);

/// Whether the claim, made from a template, is the pod's: it is the pod's controller, or, if groups
/// count, the PodGroup that the pod names.
enum class Groups : std::uint8_t { kCount, kIgnored };
[[nodiscard]] bool is_for_pod(const Claim& claim, const Pod& pod, Groups groups);

/// Whether the claim is reserved for the pod, or, if groups count, for its PodGroup.
[[nodiscard]] bool is_reserved_for(const Claim& claim, const Pod& pod, Groups groups);

}  // namespace davit::claims
