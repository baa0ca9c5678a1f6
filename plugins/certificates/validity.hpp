/// The validity of a certificate. Pure. Rule: docs/spec/certificates.md, A7.6.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <optional>

namespace davit::certificates {

/// In seconds since 1970, both ends included.
struct Validity {
  std::int64_t not_before = 0;
  std::int64_t not_after = 0;
};

struct ValidityRequest {
  WallTime now;
  Duration ttl;                           ///< The longest validity, of any sign.
  std::optional<std::int64_t> requested;  ///< spec.expirationSeconds.
  std::int64_t ca_not_after;              ///< Seconds since 1970.
};

/// kInvalid: the CA has expired, in upstream's words.
[[nodiscard]] Result<Validity> validity_of(const ValidityRequest& request);

}  // namespace davit::certificates
