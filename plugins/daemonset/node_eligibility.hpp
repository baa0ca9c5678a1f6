/// Whether the pod of a DaemonSet belongs on a node. Pure.
#pragma once

#include <davit/kube/node.hpp>
#include <davit/kube/node_selector.hpp>
#include <davit/kube/taint.hpp>
#include <davit/object.hpp>
#include <string>
#include <vector>

namespace davit::daemonset {

/// The decision about one node. `run` implies `keep`.
struct Eligibility {
  bool run = false;   ///< A pod should be created if there is none.
  bool keep = false;  ///< A pod that is there may stay.

  friend bool operator==(const Eligibility&, const Eligibility&) = default;
};

/// The rules of one pod template, parsed once for all nodes. Owns what it needs.
///
/// Looks at node name, labels and taints only: neither at resources nor at conditions, and at
/// spec.unschedulable only through its taint. Rule: docs/spec/daemonset.md, 8.
class NodeRules {
 public:
  /// Parts that cannot be read match no node.
  explicit NodeRules(Value pod_template);

  [[nodiscard]] Eligibility judge(const Node& node) const;

 private:
  std::string node_name_;  // Empty: every node.
  NodeSelector selector_;
  std::vector<Toleration> tolerations_;
};

}  // namespace davit::daemonset
