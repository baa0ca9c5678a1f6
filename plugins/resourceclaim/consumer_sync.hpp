/// The claims that pods and PodGroups need. Rules: docs/spec/dra.md, A4 to A7.
#pragma once

#include <davit/key.hpp>
#include <davit/queue.hpp>
#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "plugins/resourceclaim/bodies.hpp"
#include "plugins/resourceclaim/claim_counts.hpp"
#include "plugins/resourceclaim/parts.hpp"

namespace davit::resourceclaim {

/// Invariants:
/// - An entry of spec.resourceClaims gets one claim: the host runs no key again before the cache
///   has seen what it wrote, and a claim that the consumer owns is found by its annotation.
/// - A claim that a status names counts only if the consumer owns it.
class ConsumerSync {
 public:
  /// Both must outlive this.
  ConsumerSync(const Parts& parts, const ClaimCounts& counts) : parts_(parts), counts_(counts) {}

  /// Whether a sync would do anything. Rule: docs/spec/dra.md, A4.4.
  [[nodiscard]] bool needs_work(const Pod& pod) const;
  [[nodiscard]] bool needs_work(const PodGroup& group) const;

  /// `key` is that of the pod or PodGroup.
  [[nodiscard]] Result<Again> sync_pod(const Key& key) const;
  [[nodiscard]] Result<Again> sync_group(const Key& key) const;

 private:
  /// Whether the group makes the claim of the entry.
  [[nodiscard]] bool is_made_by_group(const Pod& pod, Value entry) const;
  [[nodiscard]] bool owns(const Consumer& consumer, const Claim& claim) const;
  [[nodiscard]] bool must_be_reserved(const Claim& claim, const Pod& pod) const;

  /// Makes what is missing; the claims that the status does not name yet go into `made`.
  [[nodiscard]] Status make_claims(const Consumer& consumer, const Lookup<PodGroup>& group,
                                   MadeClaims& made) const;
  /// The claim that the status has to name for the entry; empty: nothing to add.
  [[nodiscard]] Result<std::string> claim_for(const Consumer& consumer,
                                              const Lookup<PodGroup>& group, Value entry) const;
  /// A claim that was made for the entry before; empty: none.
  [[nodiscard]] std::string find_made(const Consumer& consumer, std::string_view entry) const;
  [[nodiscard]] Result<std::string> create(const Consumer& consumer, Value entry) const;
  /// Writes status.resourceClaimStatuses.
  template <typename View>
  [[nodiscard]] Result<View> apply(const Consumer& consumer, const MadeClaims& made) const;
  /// Reserves the allocated claims of a pod that has a node. Rule: docs/spec/dra.md, A5.6.
  [[nodiscard]] Result<Again> reserve(const Pod& pod, const Lookup<PodGroup>& group) const;

  const Parts& parts_;
  const ClaimCounts& counts_;
};

}  // namespace davit::resourceclaim
