/// PEM texts of keys and certificates.
#pragma once

#include <string>
#include <string_view>

#include "plugins/shared/pki/openssl_handles.hpp"

namespace davit::pki {

/// The first block that is a private key in PKCS#1, SEC 1 or PKCS#8; others are skipped, and so are
/// encrypted ones. Null: there is none.
[[nodiscard]] PrivateKeyHandle first_private_key(std::string_view pem);

/// The first block that is a certificate. Null: there is none.
[[nodiscard]] CertificateHandle first_certificate(std::string_view pem);

/// The number of blocks of type CERTIFICATE that have no headers.
[[nodiscard]] int plain_certificate_count(std::string_view pem);

/// Everything that was written to a BIO in memory.
[[nodiscard]] std::string text_of(BIO& memory);

}  // namespace davit::pki
