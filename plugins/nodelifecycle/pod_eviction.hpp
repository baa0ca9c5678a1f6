/// Eviction as it was before v1.27, without NoExecute taints: a node that is not ready for long
/// loses its pods, node by node at the rate of its zone.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/kube/pod.hpp>
#include <string>

#include "plugins/nodelifecycle/node_health.hpp"

namespace davit::nodelifecycle {

/// The progress of the eviction of a node's pods.
enum class Eviction : std::uint8_t { kNone, kQueued, kDone };

/// The consequence of a node's state for its pods: processNoTaintBaseEviction.
enum class EvictionVerdict : std::uint8_t { kWait, kCancel, kEvict };

/// `observed` is the Ready condition before the present pass changed it.
[[nodiscard]] EvictionVerdict eviction_verdict(Ready observed, const NodeHealth& health, Time now,
                                               Duration timeout);

/// Deletes the pods of a node: DeletePods. Not thread-safe.
class PodEviction {
 public:
  /// A selection of the node's pods.
  enum class Which : std::uint8_t {
    kAll,
    kNew,  ///< Those that no eviction has visited yet.
  };
  struct Target {
    const std::string& node;
    const std::string& uid;
  };

  /// `cluster` must outlive this. `pods` has the index `index` by the name of the node.
  PodEviction(Context& cluster, const Informer<Pod>& pods, const char* index)
      : cluster_(cluster), pods_(pods), index_(index) {}

  /// Pods of DaemonSets stay. An error means that some pods are to be tried again; it is logged.
  /// Blocks for requests.
  [[nodiscard]] Status evict(const Target& target, Which which) const;

 private:
  [[nodiscard]] Status evict(const Target& target, const Pod& pod) const;

  Context& cluster_;
  const Informer<Pod> pods_;
  const char* const index_;
};

}  // namespace davit::nodelifecycle
