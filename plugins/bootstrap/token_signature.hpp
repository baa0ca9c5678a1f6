/// Bootstrap tokens and their signatures. Pure. Rules: docs/spec/certificates.md, D4 and D5.
#pragma once

#include <davit/kube/bootstrap_token.hpp>
#include <davit/time.hpp>
#include <string>
#include <string_view>

#include "plugins/bootstrap/views.hpp"

namespace davit::bootstrap {

[[nodiscard]] BootstrapTokenExpiration expiration_of(const TokenSecret& secret);

/// The id of a token that signs now; empty: it does not.
[[nodiscard]] std::string signing_id(const TokenSecret& secret, WallTime now);

/// The signature of `content` by a token that signs: a JSON Web Signature with detached content.
[[nodiscard]] std::string signature_of(const TokenSecret& secret, std::string_view content);

}  // namespace davit::bootstrap
