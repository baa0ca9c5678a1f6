/// The state and the requests of pods, as the calculator takes them. Pure.
#pragma once

#include <davit/kube/pod.hpp>
#include <davit/result.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "plugins/podautoscaler/replica_calculator.hpp"

namespace davit::podautoscaler {

[[nodiscard]] std::vector<PodFacts> facts_of(std::span<const Pod> pods);

/// The resource whose requests are wanted.
struct RequestedResource {
  std::string_view name;       ///< "cpu"
  std::string_view container;  ///< Empty: of the whole pod.
  bool pod_level = true;       ///< Whether spec.resources counts.
};

/// The requests of all these pods, or the first error in upstream's words.
/// Rule: docs/spec/hpa.md, section 9.4.
[[nodiscard]] Result<PodRequests> requests_of(std::span<const Pod> pods,
                                              const RequestedResource& resource);

}  // namespace davit::podautoscaler
