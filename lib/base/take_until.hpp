/// Splitting text from front to back.
#pragma once

#include <string_view>

namespace davit {

/// Removes the text before the first `mark`, and the mark, from the front of `rest`; without a
/// mark, all of it. Returns the removed text without the mark, as a view.
[[nodiscard]] constexpr std::string_view take_until(std::string_view& rest, std::string_view mark) {
  const std::size_t end = rest.find(mark);
  const std::string_view taken = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + mark.size());
  return taken;
}

}  // namespace davit
