/// Bootstrap tokens and their signatures. Pure. Rules: docs/spec/certificates.md, D4 and D5.
#pragma once

#include <davit/kube/time.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/bootstrap/views.hpp"

namespace davit::bootstrap {

/// The end of a token.
struct Expiration {
  bool is_set = false;             ///< Without it a token never ends.
  std::optional<WireTime> time{};  ///< Nothing: it is not a time, and the token has ended.

  [[nodiscard]] bool is_over(WallTime now) const;
};
[[nodiscard]] Expiration expiration_of(const TokenSecret& secret);

/// The id of a token that signs now; empty: it does not.
[[nodiscard]] std::string signing_id(const TokenSecret& secret, WallTime now);

/// The signature of `content` by a token that signs: a JSON Web Signature with detached content.
[[nodiscard]] std::string signature_of(const TokenSecret& secret, std::string_view content);

}  // namespace davit::bootstrap
