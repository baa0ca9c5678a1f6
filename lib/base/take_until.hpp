/// Text that is taken apart from front to back.
#pragma once

#include <string_view>

namespace davit {

/// Takes the text before the first `mark`, or all of it, off the front of `rest`, and the mark with
/// it. The result is a view of the same text.
[[nodiscard]] constexpr std::string_view take_until(std::string_view& rest, std::string_view mark) {
  const std::size_t end = rest.find(mark);
  const std::string_view taken = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + mark.size());
  return taken;
}

}  // namespace davit
