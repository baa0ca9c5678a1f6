/// Marking the pods of a node that went silent: MarkPodsNotReady.
#pragma once

#include <cstddef>
#include <davit/context.hpp>
#include <davit/kube/pod.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace davit::nodelifecycle {

/// A strategic merge patch of the status that turns Ready to False; nothing when the pod has no
/// Ready condition or it is False already.
[[nodiscard]] std::optional<std::string> not_ready_patch(const Pod& pod, WallTime now);

/// Pods to mark, each for one of the callers' nodes.
class PodMarker {
 public:
  /// `cluster` must outlive the marker.
  explicit PodMarker(Context& cluster) : cluster_(&cluster) {}

  /// Remembers a pod if it is to be marked. `owner` is the caller's number for its node.
  void add(const Pod& pod, std::size_t owner);

  /// Sends the patches of all pods added, and records their events. Returns the owners of those
  /// that failed, each once. A pod that is gone is not a failure. Blocks.
  [[nodiscard]] std::vector<std::size_t> run();

 private:
  struct Entry {
    Pod pod;
    std::size_t owner;
  };

  void send(std::size_t first, std::size_t end, std::vector<std::size_t>& failed) const;

  Context* cluster_;
  std::vector<Entry> entries_;
  std::vector<Request> requests_;  // One for each entry.
};

}  // namespace davit::nodelifecycle
