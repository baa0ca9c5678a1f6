#include "lib/net/certificates.hpp"

#include <openssl/ec.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <array>
#include <davit/hex.hpp>
#include <utility>

#include "lib/base/openssl_owners.hpp"

namespace davit {
namespace {

/// Clocks of two processes on one machine agree, but not those of a container and its host.
constexpr auto kEarlier = std::chrono::hours(1);
constexpr std::size_t kSerialBytes = 16;

Status refused() { return {Code::kInternal, "OpenSSL cannot create a certificate"}; }

std::string text_of(const BioPtr& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string to_pem(X509* certificate) {
  const BioPtr out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(out.get(), certificate);
  return text_of(out);
}

std::string to_pem(EVP_PKEY* key) {
  const BioPtr out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(out);
}

bool add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr made(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return made && X509_add_ext(certificate, made.get(), -1) == 1;
}

bool add_name(X509_NAME* name, const char* field, const std::string& value) {
  // Multi-valued fields are entries of their own, in their order.
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool set_serial(X509* certificate) {
  std::array<unsigned char, kSerialBytes> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) return false;
  bytes[0] = (bytes[0] & 0x3fU) | 0x40U;  // Positive, and always as long.
  const std::unique_ptr<BIGNUM, OpenSslFree<BN_free>> number(
      BN_bin2bn(bytes.data(), bytes.size(), nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

void set_times(X509* certificate, WallTime now) {
  const auto seconds = [](WallTime time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  };
  ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(now - kEarlier));
  ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(now + kCertificateTime));
}

/// A certificate for `key` with all but extensions and signature.
CertificatePtr draft(const CertificateRequest& request, EVP_PKEY* key, WallTime now) {
  CertificatePtr certificate(X509_new());
  if (!certificate || X509_set_version(certificate.get(), X509_VERSION_3) != 1) return nullptr;
  if (!set_serial(certificate.get())) return nullptr;
  set_times(certificate.get(), now);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  for (const std::string& each : request.organizations) {
    if (!add_name(name, "O", each)) return nullptr;
  }
  if (!add_name(name, "CN", request.common_name)) return nullptr;
  return X509_set_pubkey(certificate.get(), key) == 1 ? std::move(certificate) : nullptr;
}

Result<KeyPair> signed_by(EVP_PKEY* key, X509* certificate, EVP_PKEY* own) {
  if (X509_sign(certificate, key, EVP_sha256()) == 0) return refused();
  return KeyPair{to_pem(certificate), to_pem(own)};
}

std::string alternative_names(const CertificateRequest& request) {
  std::string out;
  for (const std::string& each : request.dns_names) out += (out.empty() ? "DNS:" : ",DNS:") + each;
  for (const std::string& each : request.addresses) out += (out.empty() ? "IP:" : ",IP:") + each;
  return out;
}

}  // namespace

Result<KeyPair> make_authority(const std::string& common_name, WallTime now) {
  const KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return refused();
  const CertificatePtr made = draft({.common_name = common_name}, key.get(), now);
  if (!made || X509_set_issuer_name(made.get(), X509_get_subject_name(made.get())) != 1 ||
      !add_extension(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE") ||
      !add_extension(made.get(), made.get(), NID_key_usage,
                     "critical,digitalSignature,keyCertSign") ||
      !add_extension(made.get(), made.get(), NID_subject_key_identifier, "hash")) {
    return refused();
  }
  return signed_by(key.get(), made.get(), key.get());
}

Result<KeyPair> issue_certificate(const KeyPair& authority, const CertificateRequest& request,
                                  WallTime now) {
  const BioPtr ca_in = reader_of(authority.certificate);
  const BioPtr ca_key_in = reader_of(authority.key);
  const CertificatePtr ca(PEM_read_bio_X509(ca_in.get(), nullptr, nullptr, nullptr));
  const KeyPtr ca_key(PEM_read_bio_PrivateKey(ca_key_in.get(), nullptr, nullptr, nullptr));
  const KeyPtr key(EVP_EC_gen("P-256"));
  if (!ca || !ca_key || !key) return refused();
  const CertificatePtr made = draft(request, key.get(), now);
  const bool server = request.use == CertificateUse::kServer;
  if (!made || X509_set_issuer_name(made.get(), X509_get_subject_name(ca.get())) != 1 ||
      !add_extension(made.get(), ca.get(), NID_basic_constraints, "critical,CA:FALSE") ||
      !add_extension(made.get(), ca.get(), NID_key_usage, "critical,digitalSignature") ||
      !add_extension(made.get(), ca.get(), NID_ext_key_usage,
                     server ? "serverAuth" : "clientAuth") ||
      // Without it, OpenSSL takes a certificate with its authority's name for self-signed.
      !add_extension(made.get(), ca.get(), NID_subject_key_identifier, "hash") ||
      !add_extension(made.get(), ca.get(), NID_authority_key_identifier, "keyid")) {
    return refused();
  }
  const std::string names = alternative_names(request);
  if (!names.empty() && !add_extension(made.get(), ca.get(), NID_subject_alt_name, names)) {
    return Status(Code::kInvalid, "not a host name or address for a certificate: " + names);
  }
  return signed_by(ca_key.get(), made.get(), key.get());
}

Result<std::string> make_private_key() {
  const KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return Status(Code::kInternal, "OpenSSL cannot create a key");
  return to_pem(key.get());
}

Result<std::string> random_secret(std::size_t bytes) {
  std::string raw(bytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(raw.data()), static_cast<int>(bytes)) != 1) {
    return Status(Code::kInternal, "OpenSSL cannot generate random numbers");
  }
  return hex_text(raw);
}

}  // namespace davit
