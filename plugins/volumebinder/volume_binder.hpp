/// The persistent volume binder: brings claims and volumes together.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/shared/volumes/views.hpp"
#include "plugins/volumebinder/binder_metrics.hpp"
#include "plugins/volumebinder/claim_sync.hpp"
#include "plugins/volumebinder/operations.hpp"
#include "plugins/volumebinder/options.hpp"
#include "plugins/volumebinder/parts.hpp"
#include "plugins/volumebinder/recycler.hpp"
#include "plugins/volumebinder/volume_index.hpp"
#include "plugins/volumebinder/volume_sync.hpp"

namespace davit::volumebinder {

/// Two queues, each with four workers; ClaimSync and VolumeSync state what keeps data safe. Nothing
/// that it remembers is needed for that: every write is made from what the caches, which the host
/// verifies at a takeover, and the server show.
///
/// Rule: docs/spec/volumes.md, part B.
class VolumeBinder final : public Controller {
 public:
  [[nodiscard]] static InitResult open(Context& cluster);
  VolumeBinder(Context& cluster, const Options& options);

  [[nodiscard]] HandedState* state() override { return &operations_; }

 private:
  void on_volume(const Event<volumes::Volume>& event);
  void on_claim(const Event<volumes::Claim>& event);
  /// A recycler pod is a step of its volume.
  void on_pod(const Pod& pod) const;
  /// Adds the claim in the claimRef of a volume.
  void add_claim_in(const volumes::Volume& volume) const;
  void add_all();

  VolumeIndex index_;
  Operations operations_;
  BinderMetrics metrics_;
  const Parts parts_;
  Recycler recycler_;
  const ClaimSync claim_sync_;
  const VolumeSync volume_sync_;
};

}  // namespace davit::volumebinder
