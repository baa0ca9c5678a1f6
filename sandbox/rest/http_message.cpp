#include "sandbox/rest/http_message.hpp"

#include <algorithm>

#include "lib/base/lower_case.hpp"

namespace davit::sandbox {

namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](char x, char y) { return host::lower_case(x) == host::lower_case(y); });
}

}  // namespace

std::string_view Request::header(std::string_view name) const {
  const auto found =
      std::ranges::find_if(headers, [&](const auto& each) { return same_name(each.first, name); });
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace davit::sandbox
