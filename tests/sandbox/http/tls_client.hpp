/// The client's side of TLS for tests of the server: one request, one response.
#pragma once

#include <cstdint>
#include <string>

#include "sandbox/http/certificates.hpp"

namespace davit::test {

/// The credentials of a client, in PEM.
struct TlsClientOptions {
  std::string authority;  ///< Whom it believes.
  sandbox::KeyPair own;   ///< The certificate and key that it presents; may be empty.
  std::string protocols;  ///< ALPN in its wire form.
};

struct TlsResponse {
  std::string text;      ///< Everything until the server closes; "" without a handshake.
  std::string protocol;  ///< The protocol that ALPN chose.
};

/// GETs `target` from a server on the loopback.
[[nodiscard]] TlsResponse tls_get(std::uint16_t port, const std::string& target,
                                  const TlsClientOptions& options);

}  // namespace davit::test
