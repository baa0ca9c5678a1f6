/// The pods of a DaemonSet by the node that each is for. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/kube/pod.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace davit::daemonset {

/// The node that a pod is for: the one that it is bound to, else the one that its affinity names.
/// Empty: none. Rule: docs/spec/daemonset.md, 2.5.
[[nodiscard]] std::string_view target_node(const Pod& pod);

/// The present revision of a DaemonSet's template, as pods carry it.
struct PodRevision {
  std::string hash = {};  ///< Empty: none.
  std::optional<std::string> generation = std::nullopt;
};

/// The facts about a pod that the plans need.
struct DaemonPod {
  enum class Phase : std::uint8_t { kOther, kFailed, kSucceeded };

  std::string name = {};
  bool is_bound = true;
  std::optional<WallTime> created = std::nullopt;
  Phase phase = Phase::kOther;
  bool is_terminating = false;  ///< Being deleted, in any phase.
  bool is_ready = false;
  bool is_available = false;
  bool has_hash = false;    ///< Carries the hash of the present revision.
  bool is_updated = false;  ///< The same, or carries the present generation.
};

/// Pods by node name. Those of one node are sorted: bound ones first, then the oldest, then by
/// name.
using NodePods = std::map<std::string, std::vector<DaemonPod>, std::less<>>;

/// The standards by which a pod is updated or available.
struct PodMeasure {
  PodRevision revision;
  std::chrono::seconds min_ready;
  WallTime now;
};

/// Leaves out pods that are for no node, and pods that have ended and are being deleted.
[[nodiscard]] NodePods group_by_node(std::span<const Pod> pods, const PodMeasure& measure);

/// The revision hashes of all pods that are for a node, those that have ended and are being deleted
/// included. The views live like the pods.
[[nodiscard]] std::set<std::string_view> live_hashes(std::span<const Pod> pods);

}  // namespace davit::daemonset
