/// The ephemeral volume controller: makes the claims of generic ephemeral volumes.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/shared/volumes/views.hpp"

namespace davit::ephemeralvolume {

/// The garbage collector deletes the claims with their pods.
/// Rule: docs/spec/volumes.md, part F.
class EphemeralVolumes final : public Controller {
 public:
  explicit EphemeralVolumes(Context& cluster);

 private:
  /// The pods that a claim of this name may have been made for.
  void add_pods_of(const volumes::Claim& claim) const;
  [[nodiscard]] Result<Again> sync(const Key& key) const;
  /// Makes the claim of a volume, or confirms that it is the pod's.
  [[nodiscard]] Status serve(const Pod& pod, Value volume) const;

  Context& cluster_;
  Queue queue_;
  Informer<Pod> pods_;
  Informer<volumes::Claim> claims_;
  Metric created_;
  Metric failed_;
};

}  // namespace davit::ephemeralvolume
