/// Views of rules that taint devices.
#pragma once

#include <davit/kube/metadata.hpp>
#include <davit/kube/taint.hpp>
#include <string_view>

#include "plugins/shared/claims/pod_claims.hpp"
#include "plugins/shared/claims/views.hpp"

namespace davit::devicetaint {

using claims::Claim;
using claims::ClaimName;
using claims::Consumer;
using claims::Groups;
using claims::PodGroup;
using claims::Slice;

/// DeviceTaintRule. Servers have it if they serve resource.k8s.io/v1beta2.
class Rule : public ObjectView {
 public:
  static constexpr Resource kResource{claims::kDevices, "v1beta2", "devicetaintrules",
                                      "DeviceTaintRule"};
  using ObjectView::ObjectView;

  [[nodiscard]] Value taint() const { return spec()["taint"]; }
  [[nodiscard]] std::string_view effect() const { return taint()[&Names::effect].string(); }
  /// Whether it is about this device. A rule without a selector is about none, one with an empty
  /// selector about all. Rule: docs/spec/dra.md, B2.
  [[nodiscard]] bool selects(std::string_view driver, std::string_view pool,
                             std::string_view device) const {
    const Value selector = spec()["deviceSelector"];
    if (selector.kind() != Kind::kObject) return false;
    const auto fits = [&selector](std::string_view member, std::string_view value) {
      const std::string_view wanted = selector[member].string();
      return wanted.empty() || wanted == value;
    };
    return fits("driver", driver) && fits("pool", pool) && fits("device", device);
  }
};

}  // namespace davit::devicetaint
