#include "lib/base/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <climits>

#include "lib/base/assert.hpp"

namespace davit {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string encode_base64(std::string_view bytes) {
  DAVIT_ASSERT(bytes.size() <= INT_MAX / 2);  // OpenSSL counts in int.
  std::string out((bytes.size() + 2) / 3 * 4, '\0');
  // Writes a terminating zero, for which std::string has a place of its own.
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return out;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string digits(text);
  std::erase_if(digits, [](char c) { return c == '\n' || c == '\r'; });
  if (digits.size() > INT_MAX) return std::nullopt;
  // OpenSSL also trims spaces, ends at a dash and takes padding anywhere.
  const std::size_t end = std::min(digits.find_first_not_of(kDigits), digits.size());
  const std::size_t padding = digits.size() - end;
  if (padding > 2 || digits.find_first_not_of('=', end) != std::string::npos) return std::nullopt;
  std::string out(digits.size() / 4 * 3, '\0');
  const int written = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                      reinterpret_cast<const unsigned char*>(digits.data()),
                                      static_cast<int>(digits.size()));
  if (written < 0) return std::nullopt;                     // Not a multiple of four.
  out.resize(static_cast<std::size_t>(written) - padding);  // Padding is decoded to zeros.
  return out;
}

}  // namespace davit
