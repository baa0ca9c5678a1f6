/// Hash for maps from std::string that are asked with std::string_view.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace davit {

struct KeyHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view key) const noexcept {
    return std::hash<std::string_view>{}(key);
  }
};

}  // namespace davit
