/// A view of a ClusterRole.
#pragma once

#include <davit/kube/metadata.hpp>

namespace davit::clusterroles {

class ClusterRole : public ObjectView {
 public:
  static constexpr Resource kResource = {"rbac.authorization.k8s.io", "v1", "clusterroles",
                                         "ClusterRole"};
  using ObjectView::ObjectView;

  [[nodiscard]] Value rules() const { return value()["rules"]; }
  /// Whether its rules are those of other ClusterRoles.
  [[nodiscard]] bool is_aggregated() const {
    return value()["aggregationRule"].kind() == Kind::kObject;
  }
  /// Label selectors.
  [[nodiscard]] Value selectors() const {
    return value()["aggregationRule"]["clusterRoleSelectors"];
  }
};

}  // namespace davit::clusterroles
