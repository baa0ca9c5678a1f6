#include "lib/base/printable.hpp"

#include <davit/hex.hpp>

#include "lib/base/utf8.hpp"

namespace davit {

std::string printable(std::string_view text) {
  constexpr unsigned char kC1Lead = 0xc2;  // U+0080 to U+009F are C2 80 to C2 9F.
  constexpr unsigned char kC1Last = 0x9f;
  std::string out;
  out.reserve(text.size());
  const auto escape = [&](std::string_view bytes) {
    for (const char each : bytes) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(each));
    }
  };
  while (!text.empty()) {
    const std::size_t valid = utf8_length(text);
    const std::string_view character = text.substr(0, valid == 0 ? 1 : valid);
    const auto first = static_cast<unsigned char>(character[0]);
    const bool is_c1 =
        valid == 2 && first == kC1Lead && static_cast<unsigned char>(character[1]) <= kC1Last;
    if (valid == 0 || first < 0x20 || first == 0x7f || is_c1) {
      escape(character);
    } else {
      out += character;
    }
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace davit
