/// The parts that the syncs of claims and of volumes share.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/shared/volumes/views.hpp"
#include "plugins/volumebinder/binder_metrics.hpp"
#include "plugins/volumebinder/operations.hpp"
#include "plugins/volumebinder/options.hpp"
#include "plugins/volumebinder/volume_index.hpp"

namespace davit::volumebinder {

/// The index of volumes by the UID in their claimRef, which is as new as the cache.
inline constexpr std::string_view kByClaimUid = "claim-uid";

/// Owned by the controller, which outlives the syncs.
struct Parts {
  Context& cluster;
  const Options options;
  const Queue claim_queue;
  const Queue volume_queue;
  const Informer<volumes::Claim> claims;
  const Informer<volumes::Volume> volumes;
  const Informer<volumes::StorageClass> classes;
  const Informer<Pod> pods;
  VolumeIndex& index;
  Operations& operations;
  BinderMetrics& metrics;
};

}  // namespace davit::volumebinder
