#include "tests/host/transport/certificates.hpp"

#include <openssl/ec.h>
#include <openssl/x509v3.h>

#include <atomic>

#include "lib/base/assert.hpp"

namespace davit::host {
namespace {

constexpr long kDay = 24 * 3600;

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

void add_extension(X509* cert, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
  DAVIT_ASSERT(extension != nullptr);
  X509_add_ext(cert, extension, -1);
  X509_EXTENSION_free(extension);
}

std::string common_name(X509* cert) {
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, name, sizeof name);
  return name;
}

}  // namespace

Identity Identity::make(const std::string& name, const std::string& extension, int extension_id,
                        const Identity* issuer, long seconds_left, KeyPtr key) {
  Identity out;
  out.key_ = key ? std::move(key) : KeyPtr(EVP_EC_gen("P-256"));
  out.cert_.reset(X509_new());
  X509* const cert = out.cert();
  X509_set_version(cert, X509_VERSION_3);
  // A root that is replaced by one of the same name must differ in its number.
  static std::atomic<long> serial{1};
  ASN1_INTEGER_set(X509_get_serialNumber(cert), serial++);
  X509_gmtime_adj(X509_getm_notBefore(cert), -kDay);
  X509_gmtime_adj(X509_getm_notAfter(cert), seconds_left);
  X509_set_pubkey(cert, out.key());
  X509_NAME* const subject = X509_get_subject_name(cert);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  const Identity& signer = issuer == nullptr ? out : *issuer;
  X509_set_issuer_name(cert, X509_get_subject_name(signer.cert()));
  add_extension(cert, signer.cert(), extension_id, extension);
  X509_sign(cert, signer.key(), EVP_sha256());
  return out;
}

Identity Identity::authority(const std::string& name) {
  return make(name, "critical,CA:TRUE", NID_basic_constraints, nullptr, kDay);
}

Identity Identity::rsa_authority(const std::string& name) {
  return make(name, "critical,CA:TRUE", NID_basic_constraints, nullptr, kDay,
              KeyPtr(EVP_RSA_gen(2048)));
}

Identity Identity::signed_by(const Identity& issuer, const std::string& name,
                             const std::string& alt_names) {
  return make(name, alt_names, NID_subject_alt_name, &issuer, kDay);
}

Identity Identity::expired(const Identity& issuer, const std::string& name,
                           const std::string& alt_names) {
  return make(name, alt_names, NID_subject_alt_name, &issuer, -3600);
}

std::string Identity::cert_pem() const {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), cert());
  return text_of(bio.get());
}

std::string Identity::key_pem() const {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key(), nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(bio.get());
}

TlsServerContext make_server_context(const Identity& identity, const Identity* client_ca) {
  const TlsServerContext context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX_use_certificate(context.get(), identity.cert());
  SSL_CTX_use_PrivateKey(context.get(), identity.key());
  if (client_ca == nullptr) return context;
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), client_ca->cert());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return context;
}

bool TlsServerSide::accept(int socket) {
  ssl_.reset(SSL_new(context_.get()));
  SSL_set_fd(ssl_.get(), socket);
  return SSL_accept(ssl_.get()) == 1;
}

std::string TlsServerSide::read_request() {
  std::string request;
  char piece[4096];
  while (request.find("\r\n\r\n") == std::string::npos) {
    const int got = SSL_read(ssl_.get(), piece, sizeof piece);
    if (got <= 0) return "";
    request.append(piece, static_cast<std::size_t>(got));
  }
  return request;
}

void TlsServerSide::respond(const std::string& body) {
  const std::string wire =
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  SSL_write(ssl_.get(), wire.data(), static_cast<int>(wire.size()));
}

std::string TlsServerSide::server_name() const {
  const char* const name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

std::string TlsServerSide::client_name() const {
  const CertificatePtr cert(SSL_get1_peer_certificate(ssl_.get()));
  return cert == nullptr ? "" : common_name(cert.get());
}

}  // namespace davit::host
