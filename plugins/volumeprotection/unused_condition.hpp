/// The condition Unused of claims, by which users find claims that no pod refers to.
#pragma once

#include <davit/context.hpp>
#include <davit/informer.hpp>
#include <davit/kube/pod.hpp>
#include <davit/queue.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string>

#include "plugins/shared/volumes/views.hpp"

namespace davit::volumeprotection {

/// The merge patch for the status that sets the condition to whether the claim is used; nothing if
/// it is correct. It names the UID and version that were read. Other conditions stay.
[[nodiscard]] std::optional<std::string> unused_condition_patch(const volumes::Claim& claim,
                                                                bool is_used, WallTime now);

/// Keeps the condition. Every pod counts that refers to the claim and is not terminated, scheduled
/// or not. The caches decide: the condition protects nothing, and the next event corrects it.
///
/// Rule: docs/spec/volumes.md, C4.
class UnusedCondition {
 public:
  /// The informers must outlive it; the one of pods gets an index.
  UnusedCondition(Context& cluster, const Informer<volumes::Claim>& claims,
                  const Informer<Pod>& pods);

  void add(const volumes::Claim& claim) const { queue_.add(claim); }
  /// Adds the claims that the pod refers to.
  void add_claims_of(const Pod& pod) const;

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const;
  [[nodiscard]] bool is_used(const volumes::Claim& claim) const;

  Context& cluster_;
  const Informer<volumes::Claim>& claims_;
  const Informer<Pod>& pods_;
  Queue queue_;
};

}  // namespace davit::volumeprotection
