/// A view of a Namespace.
#pragma once

#include <davit/kube/metadata.hpp>
#include <string_view>

namespace davit::namespaces {

/// The finalizer in `spec.finalizers` that this controller removes.
inline constexpr std::string_view kToken = "kubernetes";

class Namespace : public ObjectView {
 public:
  static constexpr Resource kResource = {"", "v1", "namespaces", "Namespace"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view phase() const { return status()[&Names::phase].string(); }
  [[nodiscard]] Value conditions() const { return status()[&Names::conditions]; }
  /// `spec.finalizers`, which hold its content; not those of its metadata.
  [[nodiscard]] Value content_finalizers() const { return spec()[&Names::finalizers]; }
};

}  // namespace davit::namespaces
