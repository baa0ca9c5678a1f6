/// PEM blocks and what they contain, for the sources that talk to OpenSSL themselves.
#pragma once

#include <openssl/err.h>

#include <optional>
#include <string>

#include "lib/base/openssl_owners.hpp"

namespace davit {

struct PemBlock {
  std::string type;     ///< "CERTIFICATE"
  std::string headers;  ///< Empty: the block has none.
  std::string bytes;    ///< Decoded from base64.
};

/// Takes the next block from `in`; nothing at the end.
[[nodiscard]] std::optional<PemBlock> next_block(BIO* in);

/// Decodes the whole of `bytes` by one of OpenSSL's d2i functions; null if it is anything else.
template <typename Owner, auto kDecode>
[[nodiscard]] Owner decoded(const std::string& bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* const end = at + bytes.size();
  Owner out(kDecode(nullptr, &at, static_cast<long>(bytes.size())));
  ERR_clear_error();
  if (at != end) out.reset();
  return out;
}

}  // namespace davit
