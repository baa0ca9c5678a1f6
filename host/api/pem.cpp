#include "host/api/pem.hpp"

#include <openssl/err.h>

#include "lib/base/openssl_owners.hpp"

namespace davit::host {
namespace {

// Never ask a person for a pass phrase.
int no_pass_phrase(char*, int, int, void*) { return 0; }

}  // namespace

Status check_certificates(std::string_view pem) {
  const BioPtr bio = reader_of(pem);
  int found = 0;
  while (CertificatePtr(PEM_read_bio_X509(bio.get(), nullptr, no_pass_phrase, nullptr))) ++found;
  // Reading always ends with an error; the harmless one is "no further PEM block".
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  if (found == 0) return {Code::kInvalid, "no PEM certificate found"};
  if (ERR_GET_REASON(error) != PEM_R_NO_START_LINE) {
    return {Code::kInvalid, "a PEM certificate is damaged"};
  }
  return {};
}

Status check_key_pair(std::string_view cert, std::string_view key) {
  const BioPtr cert_bio = reader_of(cert);
  const BioPtr key_bio = reader_of(key);
  const CertificatePtr certificate(
      PEM_read_bio_X509(cert_bio.get(), nullptr, no_pass_phrase, nullptr));
  const KeyPtr private_key(
      PEM_read_bio_PrivateKey(key_bio.get(), nullptr, no_pass_phrase, nullptr));
  const bool match = certificate && private_key &&
                     X509_check_private_key(certificate.get(), private_key.get()) == 1;
  ERR_clear_error();
  if (!certificate) return {Code::kInvalid, "no PEM certificate found"};
  if (!private_key) return {Code::kInvalid, "no usable PEM private key found"};
  if (!match) return {Code::kInvalid, "the private key does not belong to the certificate"};
  return {};
}

}  // namespace davit::host
