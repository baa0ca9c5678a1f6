/// Key: identifies the object of a sync.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

namespace davit {

/// Namespace and name of an object; as text "namespace/name", or "name" without a namespace.
struct Key {
  std::string ns;
  std::string name;

  /// Text without a slash is a name without a namespace.
  [[nodiscard]] static Key parse(std::string_view text);
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Key&, const Key&) = default;
  friend auto operator<=>(const Key&, const Key&) = default;
};

}  // namespace davit

template <>
struct std::hash<davit::Key> {
  std::size_t operator()(const davit::Key& key) const noexcept {
    const std::size_t h = std::hash<std::string>()(key.ns);
    return h * 31 + std::hash<std::string>()(key.name);
  }
};
