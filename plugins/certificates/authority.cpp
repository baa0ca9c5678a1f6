#include "plugins/certificates/authority.hpp"

#include <openssl/asn1.h>
#include <openssl/crypto.h>
#include <openssl/err.h>

#include <ctime>

#include "plugins/shared/pki/pem.hpp"

namespace davit::certificates {
namespace {

Status wrong(std::string why) { return {Code::kInvalid, std::move(why)}; }

bool can_sign(const EVP_PKEY& key) {
  return EVP_PKEY_is_a(&key, "RSA") == 1 || EVP_PKEY_is_a(&key, "EC") == 1 ||
         EVP_PKEY_is_a(&key, "ED25519") == 1;
}

}  // namespace

CaTexts::~CaTexts() { OPENSSL_cleanse(key.data(), key.size()); }

Status check_pair(const CaTexts& texts) {
  const pki::CertificateHandle certificate = pki::first_certificate(texts.certificate);
  if (!certificate) return wrong("the file has no certificate in PEM");
  const pki::PrivateKeyHandle key = pki::first_private_key(texts.key);
  if (!key) return wrong("the key file has no private key in PEM");
  const bool match = X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return match ? Status() : wrong("the private key is not that of the certificate");
}

Authority Authority::parse(const CaTexts& texts, Failure& failure) {
  Authority out;
  const int count = pki::plain_certificate_count(texts.certificate);
  if (count == 0) {
    failure = {Part::kCertificate, "data does not contain any valid RSA or ECDSA certificates"};
    return out;
  }
  if (count != 1) {
    failure = {Part::kCertificate, "expected 1 certificate, found " + std::to_string(count)};
    return out;
  }
  pki::CertificateHandle certificate = pki::first_certificate(texts.certificate);
  const Result<std::int64_t> not_after =
      certificate ? seconds_of(X509_get0_notAfter(certificate.get())) : wrong("no certificate");
  if (!not_after) {
    failure = {Part::kCertificate, not_after.error().message()};
    return out;
  }
  out.key_ = pki::first_private_key(texts.key);
  if (!out.key_ || !can_sign(*out.key_)) {
    failure = {Part::kKey, "data does not contain a valid RSA or ECDSA private key"};
    return out;
  }
  out.not_after_ = *not_after;
  out.certificate_ = std::move(certificate);
  return out;
}

Result<std::int64_t> seconds_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) {
    return wrong("the certificate has a time that is none");
  }
  return static_cast<std::int64_t>(timegm(&parts));
}

}  // namespace davit::certificates
