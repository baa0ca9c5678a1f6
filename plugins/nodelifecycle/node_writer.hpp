/// Writes of Nodes, as controller_utils of upstream makes them; but what the caller holds of a node
/// is tried first and only a conflict costs a read. Upstream reads the node of the server's cache
/// before each write.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/node.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/nodelifecycle/condition_taints.hpp"
#include "plugins/nodelifecycle/node_health.hpp"

namespace davit::nodelifecycle {

/// Thread-safe; every call may block for several requests.
class NodeWriter {
 public:
  /// `cluster` must outlive the writer.
  explicit NodeWriter(Context& cluster) : cluster_(&cluster) {}

  /// SwapNodeControllerTaint: adds, with the present time, and then removes.
  /// Taints that `at_hand` lacks are not removed. `judged`: the Ready that the taints follow from.
  /// kExpired, without a write, if a conflict leads to a read that shows another one.
  [[nodiscard]] Status swap(const Node& at_hand, TaintSwap swap,
                            std::optional<Ready> judged = std::nullopt) const;
  /// No request when `at_hand` has none of them.
  [[nodiscard]] Status remove(const Node& at_hand, std::span<const Taint> taints) const;
  /// The same of the node as the server has it now; no failure if the node is gone.
  [[nodiscard]] Status remove(const Key& node, std::span<const Taint> taints) const;
  [[nodiscard]] Status repeat_labels(const Node& node) const;

 private:
  struct Seen;
  [[nodiscard]] Status add(Seen& node, std::span<const Taint> taints) const;
  [[nodiscard]] Status remove(Seen& node, std::span<const Taint> taints) const;
  template <typename Change>
  [[nodiscard]] Status change(Seen& node, const Change& change) const;

  Context* cluster_;
};

}  // namespace davit::nodelifecycle
