/// Reads the arguments of functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cel/value.hpp"

namespace davit::cel {

/// Whether the arguments have these types, one letter each: s(tring), b(ool), i(nt), l(ist),
/// o(paque), any (.). A letter after '?' may be missing.
[[nodiscard]] inline bool takes(std::span<const Value> args, std::string_view types) {
  std::size_t at = 0;
  bool optional = false;
  for (const char type : types) {
    if (type == '?') {
      optional = true;
      continue;
    }
    if (at == args.size()) return optional;
    const ValueKind kind = args[at++].kind();
    const bool fits =
        type == '.' || (type == 's' && kind == ValueKind::kString) ||
        (type == 'b' && kind == ValueKind::kBool) || (type == 'i' && kind == ValueKind::kInt) ||
        (type == 'l' && kind == ValueKind::kList) || (type == 'o' && kind == ValueKind::kOpaque);
    if (!fits) return false;
  }
  return at == args.size();
}

/// The argument as an opaque value of class `T`; null if it is another value.
template <typename T>
[[nodiscard]] const T* opaque_as(std::span<const Value> args, std::size_t index) {
  const auto* opaque = index < args.size() ? args[index].get<OpaqueRef>() : nullptr;
  return opaque == nullptr ? nullptr : dynamic_cast<const T*>(opaque->get());
}

/// The code points of valid UTF-8, each as a part of it.
[[nodiscard]] inline std::vector<std::string_view> letters_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

}  // namespace davit::cel
