/// Whether the pod of a DaemonSet belongs on a node. Pure.
#pragma once

#include <davit/kube/label_match.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/taint.hpp>
#include <davit/object.hpp>
#include <optional>
#include <string>
#include <utility>
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
  struct Requirement {
    std::string key;
    LabelOperator op;
    std::vector<std::string> values;
  };
  /// All of both must hold.
  struct Term {
    std::vector<Requirement> labels;
    std::vector<Requirement> fields;
  };

  [[nodiscard]] static std::optional<Term> parse_term(Value term);
  [[nodiscard]] static std::optional<Requirement> parse_expression(Value expression);
  [[nodiscard]] static std::optional<Requirement> parse_field(Value field);

  [[nodiscard]] bool selects(const Node& node) const;
  [[nodiscard]] bool tolerates(const Taint& taint) const;

  std::string node_name_;  // Empty: every node.
  std::vector<std::pair<std::string, std::string>> node_selector_;
  std::optional<std::vector<Term>> terms_;  // One must hold; nothing: no affinity is required.
  std::vector<Toleration> tolerations_;
};

}  // namespace davit::daemonset
