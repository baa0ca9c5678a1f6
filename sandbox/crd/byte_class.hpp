/// Sets of bytes that expressions have names for.
#pragma once

#include <bitset>
#include <optional>
#include <string_view>

namespace davit::sandbox {

using Bytes = std::bitset<256>;

[[nodiscard]] Bytes range(unsigned char first, unsigned char last);
[[nodiscard]] Bytes digits();
[[nodiscard]] Bytes words();   ///< \w
[[nodiscard]] Bytes spaces();  ///< \s
[[nodiscard]] Bytes beyond_ascii();
/// "alpha" of [[:alpha:]]
[[nodiscard]] std::optional<Bytes> named_class(std::string_view name);

}  // namespace davit::sandbox
