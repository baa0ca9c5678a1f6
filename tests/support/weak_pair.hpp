/// Certificates that certificates.hpp does not make: with other signatures, or with RSA keys.
#pragma once

#include <string>

#include "lib/base/assert.hpp"
#include "lib/base/openssl_owners.hpp"
#include "lib/net/certificates.hpp"

namespace davit::test {

[[nodiscard]] inline KeyPtr read_key(const KeyPair& pair) {
  const BioPtr in = reader_of(pair.key);
  return KeyPtr(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr));
}

[[nodiscard]] inline CertificatePtr read_certificate(const KeyPair& pair) {
  const BioPtr in = reader_of(pair.certificate);
  return CertificatePtr(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
}

/// The text that a writer of OpenSSL's writes.
template <typename Write>
[[nodiscard]] std::string written(Write write) {
  const BioPtr out(BIO_new(BIO_s_mem()));
  write(out.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

/// `pair` with a certificate that `authority` signs with `digest` instead.
[[nodiscard]] inline KeyPair signed_again(const KeyPair& pair, const KeyPair& authority,
                                          const EVP_MD* digest) {
  const CertificatePtr certificate = read_certificate(pair);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(read_certificate(authority).get()));
  DAVIT_ASSERT(X509_sign(certificate.get(), read_key(authority).get(), digest) != 0);
  return {written([&](BIO* out) { PEM_write_bio_X509(out, certificate.get()); }), pair.key};
}

/// `pair` with an RSA key, in a certificate that `authority` signs.
[[nodiscard]] inline KeyPair with_rsa_key(const KeyPair& pair, const KeyPair& authority) {
  const KeyPtr key(EVP_RSA_gen(2048));
  const CertificatePtr certificate = read_certificate(pair);
  X509_set_pubkey(certificate.get(), key.get());
  X509_sign(certificate.get(), read_key(authority).get(), EVP_sha256());
  return {written([&](BIO* out) { PEM_write_bio_X509(out, certificate.get()); }),
          written([&](BIO* out) {
            PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

}  // namespace davit::test
