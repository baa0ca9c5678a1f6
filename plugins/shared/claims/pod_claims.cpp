#include "plugins/shared/claims/pod_claims.hpp"

#include <davit/kube/group_version.hpp>
#include <davit/mutant.hpp>
#include <optional>

namespace davit::claims {
ClaimName claim_name(const Consumer& consumer, Value entry) {
  using State = ClaimName::State;
  if (const std::optional<std::string_view> name = entry["resourceClaimName"].text()) {
    return {State::kNamed, *name, false};
  }
  if (!entry["resourceClaimTemplateName"].text()) return {State::kInvalid};
  for (const Value each : consumer.statuses().elements()) {
    if (each[&Names::name].string() != entry[&Names::name].string()) continue;
    const std::optional<std::string_view> name = each["resourceClaimName"].text();
    if (!name) return {State::kNotNeeded};
    return {State::kNamed, *name, true};
  }
  return {State::kNotYet};
}

Status check_name(const Consumer& consumer, Value entry, const ClaimName& name) {
  if (name.state != ClaimName::State::kInvalid) return {};
  return {Code::kInvalid, std::string(consumer.is_pod() ? "pod" : "podgroup") + " \"" +
                              consumer.object.key().text() + "\", spec.resourceClaim \"" +
                              std::string(entry[&Names::name].string()) +
                              "\": none of the supported fields are set"};
}

bool is_of_group(const PodGroup& group, Value entry) {
  const Consumer consumer(group);
  for (const Value each : consumer.claims().elements()) {
    if (each[&Names::name].string() != entry[&Names::name].string()) continue;
    return each["resourceClaimName"].text() == entry["resourceClaimName"].text() &&
           each["resourceClaimTemplateName"].text() == entry["resourceClaimTemplateName"].text();
  }
  return false;
}

bool is_for_pod(const Claim& claim, const Pod& pod, Groups groups) {
  if (claim.is_controlled_by(pod) || mutant("claim-of-another-pod")) return true;
  const std::optional<OwnerReference> owner = claim.controller();
  const std::string_view group = group_of(pod);
  return groups == Groups::kCount && owner && !group.empty() && owner->name() == group &&
         owner->kind() == PodGroup::kResource.kind && claim.ns() == pod.ns() &&
         split_api_version(owner->api_version()).group == kScheduling;
}

bool is_reserved_for(const Claim& claim, const Pod& pod, Groups groups) {
  const std::string_view group = group_of(pod);
  for (const Value each : claim.reserved_for().elements()) {
    if (each[&Names::uid].string() == pod.uid()) return true;
    if (groups == Groups::kCount && !group.empty() && each[&Names::name].string() == group &&
        each["apiGroup"].string() == kScheduling &&
        each["resource"].string() == PodGroup::kResource.resource) {
      return true;
    }
  }
  return false;
}

}  // namespace davit::claims
