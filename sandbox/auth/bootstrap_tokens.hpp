/// Bootstrap tokens, by which a new node joins
/// (k8s: plugin/pkg/auth/authenticator/token/bootstrap).
#pragma once

#include <optional>
#include <string_view>

#include "lib/base/clock.hpp"
#include "sandbox/auth/auth.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// Verifies tokens of the form `<id>.<secret>` by the Secrets in kube-system. Thread-safe; `store`
/// and `clock` are borrowed.
class BootstrapTokens {
 public:
  BootstrapTokens(const Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  /// Whether `token` has the form of a bootstrap token.
  [[nodiscard]] static bool is_one(std::string_view token);
  /// The user system:bootstrap:ID with the groups of the token's Secret. Nothing if there is no
  /// such Secret, it does not match, has expired, or is not for authentication.
  /// docs/spec/certificates.md, H1.8.
  [[nodiscard]] std::optional<UserInfo> verify(std::string_view token) const;

 private:
  const Store& store_;
  const Clock& clock_;
};

}  // namespace davit::sandbox
