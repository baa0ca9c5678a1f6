/// Admission that admits everything.
#pragma once

#include "sandbox/admission/admission.hpp"

namespace davit::sandbox {

/// For servers that are to be plain storage. Stateless.
class OpenAdmission final : public Admission {
 public:
  void restore() override {}
  [[nodiscard]] ApiFailure admit(const WriteRequest&, Json&) const override { return std::nullopt; }
  [[nodiscard]] Reserved reserve(const WriteRequest&, Json&) override { return {}; }
  [[nodiscard]] ApiFailure admit_delete(const Resource&, std::string_view,
                                        std::string_view) const override {
    return std::nullopt;
  }
  void removed(const Resource&, const Json&) override {}
};

}  // namespace davit::sandbox
