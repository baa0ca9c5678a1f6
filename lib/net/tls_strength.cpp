#include "lib/net/tls_strength.hpp"

#include <openssl/objects.h>
#include <openssl/ssl.h>

#include <algorithm>

namespace davit {

Status require_strength(SSL_CTX* context) {
  std::string kept;
  const STACK_OF(SSL_CIPHER)* const all = SSL_CTX_get_ciphers(context);
  for (int i = 0; i < sk_SSL_CIPHER_num(all); ++i) {
    const SSL_CIPHER* const each = sk_SSL_CIPHER_value(all, i);
    const int exchange = SSL_CIPHER_get_kx_nid(each);  // NID_kx_any in TLS 1.3, a list of its own.
    if (exchange != NID_kx_ecdhe && exchange != NID_kx_dhe) continue;
    if (SSL_CIPHER_get_auth_nid(each) == NID_auth_null) continue;
    kept += (kept.empty() ? "" : ":") + std::string(SSL_CIPHER_get_name(each));
  }
  if (kept.empty() || SSL_CTX_set_cipher_list(context, kept.c_str()) != 1) {
    return {Code::kInvalid, "none of the cipher suites has forward secrecy"};
  }
  const int level = std::max(kCertificateLevel, SSL_CTX_get_security_level(context));
  X509_VERIFY_PARAM_set_auth_level(SSL_CTX_get0_param(context), level);
  return {};
}

std::vector<std::string> without_forward_secrecy(const std::vector<std::string>& cipher_suites) {
  std::vector<std::string> out;
  for (const std::string& each : cipher_suites) {
    if (each.starts_with("TLS_RSA_")) out.push_back(each);
  }
  return out;
}

}  // namespace davit
