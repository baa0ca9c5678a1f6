/// The pods to create and to delete so that each node has the one that it should have. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/daemonset/node_eligibility.hpp"
#include "plugins/daemonset/node_pods.hpp"

namespace davit::daemonset {

/// Every node of the cluster by name, and the decision about it.
using Nodes = std::map<std::string, Eligibility, std::less<>>;

/// The work of one round of writes.
struct PodChanges {
  std::vector<std::string> create_on;  ///< Nodes that need a pod.
  std::vector<std::string> remove;     ///< Pods.

  [[nodiscard]] bool empty() const { return create_on.empty() && remove.empty(); }
};

/// Whether a node may have an old and a new pod at once.
enum class Surge : std::uint8_t { kNone, kAllowed };

/// A pod that has ended and is deleted for it.
struct EndedPod {
  std::string name;
  std::string node;
  DaemonPod::Phase phase;  ///< kFailed or kSucceeded.

  friend bool operator==(const EndedPod&, const EndedPod&) = default;
};

struct ManagePlan {
  PodChanges changes;
  std::vector<EndedPod> ended;  ///< Those of changes.remove that are worth an event.
};

/// Whether a pod that failed on this node may be deleted now; counts as its deletion.
using AdmitFailed = std::function<bool(std::string_view node)>;

/// Rule: docs/spec/daemonset.md, 10.
[[nodiscard]] ManagePlan plan_manage(const Nodes& nodes, const NodePods& pods, Surge surge,
                                     const AdmitFailed& admit_failed);

}  // namespace davit::daemonset
