/// The client's side of TLS for tests of the server: one request, one response.
#pragma once

#include <cstdint>
#include <string>

#include "lib/net/certificates.hpp"

namespace davit::test {

/// The credentials of a client, in PEM.
struct TlsClientOptions {
  std::string authority;           ///< Whom it believes.
  KeyPair own;                     ///< The certificate and key that it presents; may be empty.
  std::string protocols = {};      ///< ALPN in its wire form.
  std::string name = "localhost";  ///< The server name that it asks for and verifies.
  bool old_version = false;        ///< It speaks nothing newer than TLS 1.1.
  bool weak = false;               ///< It speaks TLS 1.2, and shows weak certificates, too.
  std::string ciphers = {};        ///< OpenSSL's names of those that it offers; empty: OpenSSL's.
  std::string groups = {};         ///< The key exchanges that it offers; empty: OpenSSL's.
  std::string headers = {};        ///< Further lines of the request, each with its line end.
};

struct TlsResponse {
  std::string text;              ///< Everything until the server closes; "" without a handshake.
  std::string common_name = {};  ///< That of the server's certificate.
  std::string protocol;          ///< The protocol that ALPN chose.
};

/// GETs `target` from a server on the loopback.
[[nodiscard]] TlsResponse tls_get(std::uint16_t port, const std::string& target,
                                  const TlsClientOptions& options);

}  // namespace davit::test
