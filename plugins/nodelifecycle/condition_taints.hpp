/// Derives the taints that a node's conditions require, and updates a list of taints to match.
#pragma once

#include <davit/kube/node.hpp>
#include <davit/kube/taint.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/shared/taints/taint_lists.hpp"

namespace davit::nodelifecycle {

using taints::taints_patch;
using taints::with_taints;
using taints::without_taints;

inline constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
inline constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";

/// Taints to add and to remove; neither list repeats what the node has or lacks already.
struct TaintSwap {
  std::vector<Taint> add{};
  std::vector<Taint> remove{};

  [[nodiscard]] bool empty() const { return add.empty() && remove.empty(); }
};

/// A NoExecute taint without value and time.
[[nodiscard]] Taint no_execute(std::string_view key);

/// Whether the node has a taint of this identity.
[[nodiscard]] bool has_taint(const Node& node, const Taint& taint);

/// doNoScheduleTaintingPass: what spec.unschedulable and the conditions call for, against the
/// node's NoSchedule taints of the seven keys that this controller owns.
[[nodiscard]] TaintSwap plan_no_schedule(const Node& node);

/// reconcileNodeLabels: a patch that repeats the labels of operating system and architecture under
/// their old names; nothing when they agree.
[[nodiscard]] std::optional<std::string> labels_patch(const Node& node);

}  // namespace davit::nodelifecycle
