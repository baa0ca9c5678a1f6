/// The claim protection controller: a deleted claim stays as long as a pod uses it.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/pod.hpp>
#include <optional>
#include <vector>

#include "plugins/shared/volumes/views.hpp"
#include "plugins/volumeprotection/unused_condition.hpp"

namespace davit::volumeprotection {

/// A key is a namespace, so that claims that are deleted together need one list of its pods.
///
/// Invariant: the finalizer goes from a claim only after a list of the namespace's pods that began
/// when the claim was already being deleted, and only from that version of the claim. Pods that
/// come later cannot mount a claim that is being deleted.
/// Rule: docs/spec/volumes.md, part C.
class ClaimProtection final : public Controller {
 public:
  /// The feature gate PersistentVolumeClaimUnusedSinceTime.
  enum class UnusedGate : std::uint8_t { kOff, kOn };

  [[nodiscard]] static InitResult open(Context& cluster);
  ClaimProtection(Context& cluster, UnusedGate gate);

 private:
  void add(const ObjectView& object) const;
  void on_claim(const volumes::Claim& claim) const;
  void on_pod(const Event<Pod>& event) const;
  /// The namespace of a pod that no longer holds its claims, if one of them waits for that.
  void add_freed(const Pod& pod) const;
  [[nodiscard]] Result<Again> sync(const Key& ns) const;
  /// Adds the patches that free the unused ones of `deleted` to `writes`.
  [[nodiscard]] Result<Again> free_unused(const Key& ns, const std::vector<volumes::Claim>& deleted,
                                          std::vector<Request>& writes) const;

  Context& cluster_;
  Queue queue_;
  Informer<volumes::Claim> claims_;
  Informer<Pod> pods_;
  std::optional<UnusedCondition> unused_;
};

}  // namespace davit::volumeprotection
