/// The `config` of the node lifecycle controller.
#pragma once

#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <optional>

#include "plugins/nodelifecycle/node_health.hpp"
#include "plugins/nodelifecycle/zones.hpp"

namespace davit::nodelifecycle {

/// Upstream's flags with their defaults.
struct Options {
  Duration monitor_period = std::chrono::seconds(5);
  GracePeriods grace{};
  ZoneOptions zones{};
  /// If set, nodes are not tainted NoExecute; a silent node's pods are deleted after this time.
  std::optional<Duration> pod_eviction_timeout{};
};

/// kInvalid, with the member's name: a member that is unknown or of another kind.
[[nodiscard]] Result<Options> read_options(Value config);

}  // namespace davit::nodelifecycle
