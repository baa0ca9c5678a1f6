/// The token of a ServiceAccount that a Secret carries: a JSON Web Signature in compact form.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "plugins/serviceaccount/signing_key.hpp"

namespace davit::serviceaccount {

/// The ServiceAccount and the Secret that a token is for.
struct TokenSubject {
  std::string_view ns;
  std::string_view account;
  std::string_view account_uid;
  std::string_view secret;
};

/// The claims as JSON text, keys sorted. The token never expires and is for every audience.
/// Rule: docs/spec/serviceaccount.md, C8.
[[nodiscard]] std::string token_claims(const TokenSubject& subject);

/// The signed token. kInternal: OpenSSL fails.
[[nodiscard]] Result<std::string> make_token(const SigningKey& key, const TokenSubject& subject);

}  // namespace davit::serviceaccount
