/// Views of the objects that the plugin reads.
#pragma once

#include <cstdint>
#include <davit/kube/metadata.hpp>

namespace davit::admissionpolicy {

/// Accepts and refuses writes by expressions.
class ValidatingAdmissionPolicy : public ObjectView {
 public:
  static constexpr Resource kResource = {"admissionregistration.k8s.io", "v1",
                                         "validatingadmissionpolicies",
                                         "ValidatingAdmissionPolicy"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::int64_t observed_generation() const {
    return status()["observedGeneration"].integer_or(0);
  }
};

/// Read for the schemas of custom kinds only.
class CustomResourceDefinition : public ObjectView {
 public:
  static constexpr Resource kResource = {"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                         "CustomResourceDefinition"};
  using ObjectView::ObjectView;
};

}  // namespace davit::admissionpolicy
