/// Views of the objects that the plugin reads.
#pragma once

#include <davit/kube/lease.hpp>
#include <davit/kube/metadata.hpp>
#include <string_view>

namespace davit::storageversion {

/// API servers hold their identity Leases in it.
inline constexpr std::string_view kIdentityNamespace = "kube-system";
inline constexpr std::string_view kIdentityLabel = "apiserver.kubernetes.io/identity";
inline constexpr std::string_view kIdentityOfServer = "kube-apiserver";
/// Selects Leases by that label and value.
inline constexpr std::string_view kIdentityLeases =
    "apiserver.kubernetes.io/identity=kube-apiserver";

/// Whether an API server holds it, which lives as long as it is there.
[[nodiscard]] inline bool is_identity(const Lease& lease) {
  return lease.ns() == kIdentityNamespace && lease.label(kIdentityLabel) == kIdentityOfServer;
}

/// The version in which each API server stores one resource.
class StorageVersion : public ObjectView {
 public:
  static constexpr Resource kResource = {"internal.apiserver.k8s.io", "v1alpha1", "storageversions",
                                         "StorageVersion"};
  using ObjectView::ObjectView;

  /// One per API server.
  [[nodiscard]] Value entries() const { return status()["storageVersions"]; }
};

/// The server of an entry: the name of its Lease.
[[nodiscard]] inline std::string_view server_of(Value entry) {
  return entry["apiServerID"].string();
}

}  // namespace davit::storageversion
