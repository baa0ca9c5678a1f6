/// The approving controller: approves client certificates of kubelets.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <string_view>

#include "plugins/certificates/views.hpp"

namespace davit::certificates {

/// Approves what its requester has the right to, and denies nothing.
/// Rule: docs/spec/certificates.md, part B.
class ApprovingController final : public Controller {
 public:
  explicit ApprovingController(Context& cluster);

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const;
  /// Whether the requester may create this subresource of requests.
  [[nodiscard]] Result<bool> is_allowed(const SigningRequest& object,
                                        std::string_view subresource) const;
  [[nodiscard]] Status approve(const SigningRequest& object, std::string_view message) const;

  Context& cluster_;
  Queue queue_;
  Informer<SigningRequest> requests_;
};

}  // namespace davit::certificates
