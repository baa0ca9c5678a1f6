/// Views of the objects that the plugin reads.
#pragma once

#include <davit/kube/metadata.hpp>
#include <string_view>

namespace davit::servicecidr {

/// Part A1 of docs/spec/cluster-controllers.md.
inline constexpr std::string_view kFinalizer = "networking.k8s.io/service-cidr-finalizer";

inline constexpr std::string_view kManagedByLabel = "ipaddress.kubernetes.io/managed-by";
inline constexpr std::string_view kFamilyLabel = "ipaddress.kubernetes.io/ip-family";
/// The value of kManagedByLabel of addresses that the API server has given to Services.
inline constexpr std::string_view kAllocator = "ipallocator.k8s.io";

/// One or two ranges of addresses for Services.
class ServiceCidr : public ObjectView {
 public:
  static constexpr Resource kResource = {"networking.k8s.io", "v1", "servicecidrs", "ServiceCIDR"};
  using ObjectView::ObjectView;

  [[nodiscard]] Value cidrs() const { return spec()["cidrs"]; }
  [[nodiscard]] Value conditions() const { return status()["conditions"]; }
};

/// An address in use; its name is the address.
class IpAddress : public ObjectView {
 public:
  static constexpr Resource kResource = {"networking.k8s.io", "v1", "ipaddresses", "IPAddress"};
  using ObjectView::ObjectView;

  /// Whether a Service has it from the API server.
  [[nodiscard]] bool is_allocated() const { return label(kManagedByLabel) == kAllocator; }
};

}  // namespace davit::servicecidr
