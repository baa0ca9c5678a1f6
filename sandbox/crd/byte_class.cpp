#include "sandbox/crd/byte_class.hpp"

namespace davit::sandbox {

Bytes range(unsigned char first, unsigned char last) {
  Bytes out;
  for (unsigned c = first; c <= last; ++c) out.set(c);
  return out;
}

Bytes digits() { return range('0', '9'); }
Bytes words() { return range('0', '9') | range('a', 'z') | range('A', 'Z') | range('_', '_'); }
Bytes spaces() {
  Bytes out;
  for (const char c : {' ', '\t', '\n', '\f', '\r'}) out.set(static_cast<unsigned char>(c));
  return out;
}
Bytes beyond_ascii() { return range(0x80, 0xff); }

std::optional<Bytes> named_class(std::string_view name) {
  if (name == "alpha") return range('a', 'z') | range('A', 'Z');
  if (name == "digit") return digits();
  if (name == "alnum") return range('0', '9') | range('a', 'z') | range('A', 'Z');
  if (name == "upper") return range('A', 'Z');
  if (name == "lower") return range('a', 'z');
  if (name == "space") return spaces() | range('\v', '\v');
  if (name == "word") return words();
  if (name == "xdigit") return range('0', '9') | range('a', 'f') | range('A', 'F');
  if (name == "punct") {
    return range('!', '/') | range(':', '@') | range('[', '`') | range('{', '~');
  }
  if (name == "print") return range(' ', '~');
  if (name == "graph") return range('!', '~');
  if (name == "blank") return range(' ', ' ') | range('\t', '\t');
  if (name == "cntrl") return range(0, 0x1f) | range(0x7f, 0x7f);
  if (name == "ascii") return range(0, 0x7f);
  return std::nullopt;
}

}  // namespace davit::sandbox
