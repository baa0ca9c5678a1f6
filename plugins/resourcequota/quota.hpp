/// ResourceQuota: a typed view of what the controller reads.
#pragma once

#include <davit/kube/metadata.hpp>

namespace davit::resourcequota {

class ResourceQuota : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "resourcequotas", "ResourceQuota"};
  using ObjectView::ObjectView;

  /// The limits: name of a resource → quantity.
  [[nodiscard]] Value hard() const { return spec()["hard"]; }
  /// The limits that the server enforces.
  [[nodiscard]] Value status_hard() const { return status()["hard"]; }
  [[nodiscard]] Value status_used() const { return status()["used"]; }
};

}  // namespace davit::resourcequota
