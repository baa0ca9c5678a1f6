#include <davit/key.hpp>

namespace davit {

Key Key::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {std::string(), std::string(text)};
  return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

std::string Key::text() const { return ns.empty() ? name : ns + "/" + name; }

}  // namespace davit
