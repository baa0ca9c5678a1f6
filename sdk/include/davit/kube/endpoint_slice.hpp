/// EndpointSlice of discovery.k8s.io/v1: a typed view.
#pragma once

#include <davit/kube/metadata.hpp>
#include <string_view>

namespace davit {

/// An EndpointSlice of discovery.k8s.io/v1.
class EndpointSlice : public ObjectView {
 public:
  static constexpr Resource kResource{"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice"};
  static constexpr std::string_view kServiceNameLabel = "kubernetes.io/service-name";
  static constexpr std::string_view kManagedByLabel = "endpointslice.kubernetes.io/managed-by";
  using ObjectView::ObjectView;

  /// "IPv4", "IPv6" or "FQDN".
  [[nodiscard]] std::string_view address_type() const { return value()["addressType"].string(); }
  [[nodiscard]] Value endpoints() const { return value()["endpoints"]; }
  [[nodiscard]] Value ports() const { return value()[&Names::ports]; }
  /// The Service whose endpoints these are; empty when the slice names none.
  [[nodiscard]] std::string_view service_name() const {
    return labels()[kServiceNameLabel].string();
  }
  /// The controller that keeps it; empty if the label is missing.
  [[nodiscard]] std::string_view manager() const { return labels()[kManagedByLabel].string(); }
};

}  // namespace davit
