#include "tests/support/tls_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "lib/base/openssl_owners.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::test {
namespace {

CertificatePtr read_certificate(const std::string& pem) {
  const BioPtr in = reader_of(pem);
  return CertificatePtr(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
}

void use(SSL_CTX* context, const TlsClientOptions& options) {
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  const BioPtr authorities = reader_of(options.authority);
  while (
      const CertificatePtr each{PEM_read_bio_X509(authorities.get(), nullptr, nullptr, nullptr)}) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), each.get());
  }
  SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(options.protocols.data()),
                          static_cast<unsigned>(options.protocols.size()));
  if (!options.groups.empty()) SSL_CTX_set1_groups_list(context, options.groups.c_str());
  if (options.old_version) {
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
  }
  if (options.weak) {
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  }
  if (!options.ciphers.empty()) SSL_CTX_set_cipher_list(context, options.ciphers.c_str());
  if (options.own.key.empty()) return;
  const CertificatePtr own = read_certificate(options.own.certificate);
  const BioPtr in = reader_of(options.own.key);
  const KeyPtr key(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr));
  SSL_CTX_use_certificate(context, own.get());
  SSL_CTX_use_PrivateKey(context, key.get());
}

}  // namespace

TlsResponse tls_get(std::uint16_t port, const std::string& target,
                    const TlsClientOptions& options) {
  const ContextPtr context(SSL_CTX_new(TLS_client_method()));
  use(context.get(), options);
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return {};
  }
  const SessionPtr ssl(SSL_new(context.get()));
  SSL_set1_host(ssl.get(), options.name.c_str());
  SSL_set_tlsext_host_name(ssl.get(), options.name.c_str());
  SSL_set_fd(ssl.get(), fd.get());
  if (SSL_connect(ssl.get()) != 1) return {};
  const std::string request = "GET " + target +
                              " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                              options.headers + "\r\n";
  SSL_write(ssl.get(), request.data(), static_cast<int>(request.size()));
  TlsResponse response;
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(SSL_get0_peer_certificate(ssl.get())),
                            NID_commonName, name, sizeof name);
  response.common_name = name;
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl.get(), &protocol, &size);
  if (protocol != nullptr) response.protocol.assign(reinterpret_cast<const char*>(protocol), size);
  char piece[4096];
  for (int got = 0; (got = SSL_read(ssl.get(), piece, sizeof piece)) > 0;) {
    response.text.append(piece, static_cast<std::size_t>(got));
  }
  return response;
}

}  // namespace davit::test
