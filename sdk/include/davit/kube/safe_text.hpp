/// Characters for the generated parts of names: no vowels, no look-alikes
/// (k8s.io/apimachinery/pkg/util/rand). Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace davit {

/// The alphabet of generated names.
inline constexpr std::string_view kSafeCharacters = "bcdfghjklmnpqrstvwxz2456789";

/// Replaces each byte, so that a decimal hash spells no word (rand.SafeEncodeString).
[[nodiscard]] inline std::string safe_encoded(std::string text) {
  for (char& each : text) {
    each = kSafeCharacters[static_cast<unsigned char>(each) % kSafeCharacters.size()];
  }
  return text;
}

/// `size` characters, each chosen by a call of `next`, which returns random bits.
template <typename Next>
[[nodiscard]] std::string random_safe_text(std::size_t size, const Next& next) {
  std::string out;
  while (out.size() < size) out += kSafeCharacters[next() % kSafeCharacters.size()];
  return out;
}

/// The characters that generateName appends.
inline constexpr std::size_t kGeneratedSuffixBytes = 5;

}  // namespace davit
