#include "sandbox/auth/web_token.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <davit/base64.hpp>
#include <davit/hex.hpp>

namespace davit::sandbox {
namespace {

std::string keyed_hash(std::string_view text, std::string_view key) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(), &size);
  return {reinterpret_cast<const char*>(out.data()), size};
}

}  // namespace

std::string sign_web_token(const Json& claims, std::string_view key) {
  std::string out = encode_base64_url(R"({"alg":"HS256","typ":"JWT"})") + "." +
                    encode_base64_url(to_text(claims));
  return out + "." + encode_base64_url(keyed_hash(out, key));
}

std::optional<Json> read_claims(std::string_view token) {
  const std::size_t last = token.rfind('.');
  const std::size_t first = token.find('.');
  if (last == std::string_view::npos || first == last) return std::nullopt;
  const std::optional<std::string> text =
      decode_base64_url(token.substr(first + 1, last - first - 1));
  if (!text) return std::nullopt;
  Result<Json> claims = parse_json(*text);
  return claims ? std::optional(std::move(*claims)) : std::nullopt;
}

std::optional<Json> open_web_token(std::string_view token, std::string_view key) {
  const std::size_t last = token.rfind('.');
  if (last == std::string_view::npos) return std::nullopt;
  const std::string wanted = encode_base64_url(keyed_hash(token.substr(0, last), key));
  const std::string_view given = token.substr(last + 1);
  if (given.size() != wanted.size() ||
      CRYPTO_memcmp(given.data(), wanted.data(), wanted.size()) != 0) {
    return std::nullopt;
  }
  return read_claims(token);
}

std::string keyed_uuid(std::string_view text, std::string_view key) {
  std::string hash = keyed_hash(text, key).substr(0, 16);
  hash[6] = static_cast<char>((static_cast<unsigned char>(hash[6]) & 0x0fU) | 0x40U);
  hash[8] = static_cast<char>((static_cast<unsigned char>(hash[8]) & 0x3fU) | 0x80U);
  std::string out;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    append_hex(out, static_cast<unsigned char>(hash[i]));
  }
  return out;
}

}  // namespace davit::sandbox
