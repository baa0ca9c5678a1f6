/// Text without the blanks around it.
#pragma once

#include <string_view>

namespace davit {

/// A view of `text` without the characters of `blanks` at its two ends; the default is what HTTP
/// allows around values.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text,
                                                 std::string_view blanks = " \t") {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace davit
