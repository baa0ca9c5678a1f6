/// The parts that the controller's syncs share.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/kube/pod.hpp>
#include <optional>

#include "plugins/resourceclaim/views.hpp"

namespace davit::resourceclaim {

/// Whether templates may have requests with alternatives: the gate DRAPrioritizedList.
enum class PrioritizedLists : std::uint8_t { kAllowed, kRefused };

/// Handles, as long as the controller lives.
struct Parts {
  Context& cluster;
  Queue queue;
  Informer<Pod> pods;
  Informer<Claim> claims;
  Informer<Template> templates;
  std::optional<Informer<PodGroup>> pod_groups;  ///< Nothing: PodGroups do not count.
  PrioritizedLists prioritized_lists = PrioritizedLists::kAllowed;

  [[nodiscard]] Groups groups() const { return pod_groups ? Groups::kCount : Groups::kIgnored; }
};

}  // namespace davit::resourceclaim
