#include "plugins/bootstrap/token_signature.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <davit/base64.hpp>

#include "plugins/shared/pki/openssl_handles.hpp"

namespace davit::bootstrap {
namespace {

/// A value of the Secret; empty if it is missing or not base64.
std::string text_at(const TokenSecret& secret, std::string_view key) {
  return decode_base64(secret.data()[key].string()).value_or("");
}

/// The id in the name of a Secret; empty: the name has none.
std::string_view id_in(std::string_view name) {
  if (!name.starts_with(kBootstrapTokenPrefix)) return "";
  const std::string_view id = name.substr(kBootstrapTokenPrefix.size());
  return is_bootstrap_token_id(id) ? id : "";
}

}  // namespace

BootstrapTokenExpiration expiration_of(const TokenSecret& secret) {
  if (secret.data()["expiration"].string().empty()) return {};
  // A value that is not base64 is not a time either.
  return BootstrapTokenExpiration::parse(text_at(secret, "expiration"));
}

std::string signing_id(const TokenSecret& secret, WallTime now) {
  const std::string_view id = id_in(secret.name());
  const bool signs = !id.empty() && text_at(secret, "token-id") == id &&
                     !secret.data()["token-secret"].string().empty() &&
                     !expiration_of(secret).is_over(now) &&
                     text_at(secret, "usage-bootstrap-signing") == "true";
  return signs ? std::string(id) : "";
}

std::string signature_of(const TokenSecret& secret, std::string_view content) {
  const std::string header =
      encode_base64_url(R"({"alg":"HS256","kid":")" + std::string(id_in(secret.name())) + R"("})");
  const std::string text = header + "." + encode_base64_url(content);
  std::string key = text_at(secret, "token-secret");
  std::array<unsigned char, EVP_MAX_MD_SIZE> code{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), pki::bytes_of(text), text.size(),
       code.data(), &size);
  OPENSSL_cleanse(key.data(), key.size());
  return header + ".." + encode_base64_url({reinterpret_cast<const char*>(code.data()), size});
}

}  // namespace davit::bootstrap
