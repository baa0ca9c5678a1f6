/// The parts that the controller's syncs share.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/pod.hpp>
#include <optional>

#include "plugins/resourceclaim/views.hpp"

namespace davit::resourceclaim {

/// Handles, as long as the controller lives.
struct Parts {
  Context& cluster;
  Queue queue;
  Informer<Pod> pods;
  Informer<Claim> claims;
  Informer<Template> templates;
  std::optional<Informer<PodGroup>> pod_groups;  ///< Nothing: PodGroups do not count.

  [[nodiscard]] Groups groups() const { return pod_groups ? Groups::kCount : Groups::kIgnored; }
};

}  // namespace davit::resourceclaim
