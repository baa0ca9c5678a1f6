#include "plugins/shared/pki/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "plugins/shared/pki/openssl_handles.hpp"

namespace davit::pki {
namespace {

constexpr std::size_t kGroup = 3;  // Bytes become four characters.

bool is_base64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/';
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string out((bytes.size() + kGroup - 1) / kGroup * 4 + 1, '\0');  // OpenSSL adds a NUL.
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(bytes),
                                   static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::string encode_base64_url(std::string_view bytes) {
  std::string out = encode_base64(bytes);
  while (out.ends_with('=')) out.pop_back();
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.empty()) return std::string();
  if (text.size() % 4 != 0 || text.size() > std::numeric_limits<int>::max()) return std::nullopt;
  // OpenSSL skips blanks at both ends and takes "=" anywhere.
  std::size_t padding = 0;
  while (padding < 2 && text[text.size() - 1 - padding] == '=') ++padding;
  const std::string_view digits = text.substr(0, text.size() - padding);
  if (!std::all_of(digits.begin(), digits.end(), is_base64)) return std::nullopt;
  std::string out(text.size() / 4 * kGroup, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(text),
                                   static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  out.resize(static_cast<std::size_t>(size) - padding);
  return out;
}

}  // namespace davit::pki
