/// Keys and certificates made for one test.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "lib/base/openssl_owners.hpp"

namespace davit::host {

/// A certificate with its key.
class Identity {
 public:
  /// A root that signs itself.
  [[nodiscard]] static Identity authority(const std::string& name);
  /// Signed by `issuer`; `alt_names` as in "DNS:api.internal,IP:127.0.0.1".
  [[nodiscard]] static Identity signed_by(const Identity& issuer, const std::string& name,
                                          const std::string& alt_names);
  /// The same, out of date since an hour.
  [[nodiscard]] static Identity expired(const Identity& issuer, const std::string& name,
                                        const std::string& alt_names);

  /// A root with an RSA key.
  [[nodiscard]] static Identity rsa_authority(const std::string& name);

  [[nodiscard]] std::string cert_pem() const;
  [[nodiscard]] std::string key_pem() const;
  [[nodiscard]] X509* cert() const { return cert_.get(); }
  [[nodiscard]] EVP_PKEY* key() const { return key_.get(); }

 private:
  static Identity make(const std::string& name, const std::string& extension, int extension_id,
                       const Identity* issuer, long seconds_left, KeyPtr key = nullptr);

  CertificatePtr cert_;
  KeyPtr key_;
};

/// The part that connections of one server share: a ticket of one is good for the next.
using TlsServerContext = std::shared_ptr<SSL_CTX>;
/// With `client_ca` the client must show a certificate of it.
[[nodiscard]] TlsServerContext make_server_context(const Identity& identity,
                                                   const Identity* client_ca = nullptr);

/// The server's side of TLS over a connected socket. Speaks HTTP/1.1 only.
class TlsServerSide {
 public:
  explicit TlsServerSide(TlsServerContext context) : context_(std::move(context)) {}
  /// With `client_ca` the client must show a certificate of it.
  TlsServerSide(const Identity& identity, const Identity* client_ca)
      : TlsServerSide(make_server_context(identity, client_ca)) {}

  /// Does the handshake on `socket`; false when it fails.
  bool accept(int socket);
  /// One request without a body; "" when the client has closed.
  std::string read_request();
  void respond(const std::string& body);

  /// The server name that the client sent.
  [[nodiscard]] std::string server_name() const;
  /// The common name of the client's certificate, or "".
  [[nodiscard]] std::string client_name() const;
  /// Whether the client came back with a ticket.
  [[nodiscard]] bool is_resumed() const { return SSL_session_reused(ssl_.get()) == 1; }

 private:
  TlsServerContext context_;
  SessionPtr ssl_;
};

}  // namespace davit::host
