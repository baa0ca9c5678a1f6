#include "lib/net/signing_request.hpp"

#include <openssl/x509.h>

#include <davit/kube/go_quote.hpp>
#include <memory>
#include <optional>

#include "lib/net/certificate_names.hpp"
#include "lib/net/pem_block.hpp"

namespace davit {
namespace {

constexpr int kRsaBitsMin = 1024;

using RequestPtr = std::unique_ptr<X509_REQ, OpenSslFree<X509_REQ_free>>;

Status invalid_pem(std::string why) { return {Code::kInvalid, std::move(why)}; }

Status check_signature(X509_REQ* request) {
  EVP_PKEY* key = X509_REQ_get0_pubkey(request);
  const int bits = key == nullptr ? 0 : EVP_PKEY_get_bits(key);
  if (key != nullptr && EVP_PKEY_is_a(key, "RSA") == 1 && bits < kRsaBitsMin) {
    return invalid_pem("crypto/rsa: " + std::to_string(bits) +
                       "-bit keys are insecure (see "
                       "https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)");
  }
  const bool good = key != nullptr && X509_REQ_verify(request, key) == 1;
  ERR_clear_error();
  if (good) return {};
  const bool is_rsa = key != nullptr && EVP_PKEY_is_a(key, "RSA") == 1;
  return invalid_pem(is_rsa ? "crypto/rsa: verification error" : "x509: verification failure");
}

}  // namespace

Result<SigningRequest> read_signing_request(std::string_view pem) {
  const BioPtr in = reader_of(pem);
  const std::optional<PemBlock> block = next_block(in.get());
  if (!block || block->type != "CERTIFICATE REQUEST") {
    return invalid_pem("PEM block type must be CERTIFICATE REQUEST");
  }
  const auto request = decoded<RequestPtr, d2i_X509_REQ>(block->bytes);
  if (!request) return invalid_pem("x509: malformed certificate request");
  return SigningRequest{
      name_entries(X509_REQ_get_subject_name(request.get()), NID_organizationName),
      check_signature(request.get())};
}

Status check_certificate_chain(std::string_view pem) {
  const BioPtr in = reader_of(pem);
  int count = 0;
  while (const std::optional<PemBlock> block = next_block(in.get())) {
    if (block->type != "CERTIFICATE") {
      return invalid_pem("only CERTIFICATE PEM blocks are allowed, found " +
                         go_quoted(block->type));
    }
    if (!block->headers.empty()) return invalid_pem("no PEM block headers are permitted");
    if (!decoded<CertificatePtr, d2i_X509>(block->bytes)) {
      return invalid_pem("x509: malformed certificate");
    }
    ++count;
  }
  return count > 0 ? Status() : invalid_pem("must contain at least one CERTIFICATE PEM block");
}

Status check_authorities(std::string_view pem) {
  const BioPtr in = reader_of(pem);
  std::string why;
  while (BIO_pending(in.get()) > 0) {
    const std::optional<PemBlock> block = next_block(in.get());
    if (!block) {
      if (why.empty()) why = "unable to parse bytes as PEM block";
      break;
    }
    if (block->type != "CERTIFICATE" || !block->headers.empty()) continue;
    if (decoded<CertificatePtr, d2i_X509>(block->bytes)) return {};
    why = "failed to parse certificate: x509: malformed certificate";
  }
  if (why.empty()) why = "no valid certificate authority data seen";
  return invalid_pem("unable to load root certificates: " + why);
}

}  // namespace davit
