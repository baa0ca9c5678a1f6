/// Node: a typed view of the fields that controllers of Nodes read.
#pragma once

#include <davit/kube/condition.hpp>
#include <davit/kube/metadata.hpp>
#include <optional>
#include <string_view>

namespace davit {

/// A Node; cluster-scoped.
class Node : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "nodes", "Node"};
  using ObjectView::ObjectView;

  /// See taints_from.
  [[nodiscard]] Value taints() const { return spec()[&Names::taints]; }
  [[nodiscard]] bool is_unschedulable() const { return spec()[&Names::unschedulable].is_true(); }
  [[nodiscard]] Value conditions() const { return status()[&Names::conditions]; }
  [[nodiscard]] std::optional<ConditionView> condition(std::string_view type) const {
    return find_condition(conditions(), type);
  }
};

}  // namespace davit
