/// The object that a field selector names.
#pragma once

#include <string_view>

#include "lib/base/take_until.hpp"

namespace davit {

/// The name that one of the selector's terms requires of an object ("metadata.name=web"), or empty.
/// Authorization judges a list or watch with it as one of that name, so a rule with `resourceNames`
/// can grant it (k8s.io/apiserver, RequestInfoFactory). A value with an escape is no name.
[[nodiscard]] constexpr std::string_view required_name(std::string_view field_selector) {
  constexpr std::string_view kField = "metadata.name=";
  bool is_value = false;  // Behind an escaped comma, which is part of a value.
  while (!field_selector.empty()) {
    std::string_view term = take_until(field_selector, ",");
    const bool is_rest = is_value;
    is_value = term.ends_with('\\');
    if (is_rest || !term.starts_with(kField)) continue;
    term.remove_prefix(kField.size());
    if (term.starts_with('=')) term.remove_prefix(1);
    return term.find_first_of("=\\!/%") == std::string_view::npos ? term : std::string_view();
  }
  return {};
}

}  // namespace davit
