#include "sandbox/rest/exchange.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::string_view Request::header(std::string_view name) const {
  const auto found =
      std::ranges::find_if(headers, [&](const auto& each) { return same_name(each.first, name); });
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace davit::sandbox
