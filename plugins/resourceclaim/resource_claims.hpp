/// The resource claim controller: claims of pods with devices, from templates to their end.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/pod.hpp>
#include <string_view>

#include "plugins/resourceclaim/claim_counts.hpp"
#include "plugins/resourceclaim/claim_sync.hpp"
#include "plugins/resourceclaim/consumer_sync.hpp"
#include "plugins/resourceclaim/deleted_consumers.hpp"
#include "plugins/resourceclaim/parts.hpp"

namespace davit::resourceclaim {

/// One queue with keys of three kinds: "pod:ns/name", "claim:ns/name", "podgroup:ns/name".
/// ConsumerSync and ClaimSync state what keeps devices in the right hands.
///
/// Rule: docs/spec/dra.md, part A.
class ResourceClaims final : public Controller {
 public:
  [[nodiscard]] static InitResult open(Context& cluster);
  ResourceClaims(Context& cluster, Groups groups, PrioritizedLists prioritized_lists);

 private:
  void on_pod(const Event<Pod>& event);
  void on_claim(const Event<Claim>& event);
  void on_template(const Template& changed) const;
  void on_group(const Event<PodGroup>& event);

  /// The pod is there: a change of it, of a claim, a template or its group.
  void look_at(const Pod& pod) const;
  void look_at(const PodGroup& group) const;
  /// Ends the back-off of pods that have waited for their group.
  void forget_members(const PodGroup& group) const;
  /// Adds the claims of a consumer that needs them no more.
  void add_claims_of(const Pod& pod) const;
  void add_claims_of(const PodGroup& group) const;
  [[nodiscard]] Result<Again> sync(const Key& key) const;

  DeletedConsumers deleted_;
  ClaimCounts counts_;
  const Parts parts_;
  const ClaimSync claim_sync_;
  const ConsumerSync consumer_sync_;
};

}  // namespace davit::resourceclaim
