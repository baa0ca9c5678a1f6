/// Authentication: client certificates, tokens, anonymous requests.
#pragma once

#include <memory>
#include <vector>

#include "sandbox/auth/auth.hpp"
#include "sandbox/auth/bootstrap_tokens.hpp"
#include "sandbox/auth/tokens.hpp"

namespace davit::sandbox {

/// The identity of requests without credentials.
enum class Anonymous {
  kAllowed,
  kRefused,
  /// Is system:unsecured and may do everything, as on kube-apiserver's former insecure port:
  /// kubectl and typed clients send no credentials over plain HTTP.
  kAdministrator,
};

struct AuthenticatorOptions {
  std::vector<StaticToken> tokens = {};
  Anonymous anonymous = Anonymous::kAllowed;
};

/// In this order: certificate, static token, bootstrap token, ServiceAccount token, anonymous.
/// `accounts` and `bootstrap` are borrowed; null: none are known.
[[nodiscard]] std::unique_ptr<Authenticator> make_authenticator(
    AuthenticatorOptions options, const ServiceAccountTokens* accounts,
    const BootstrapTokens* bootstrap = nullptr);

/// Authenticates every request as `identity`: for the library form without credentials.
[[nodiscard]] std::unique_ptr<Authenticator> make_fixed_authenticator(UserInfo identity);

}  // namespace davit::sandbox
