/// The text form of label selectors, as it stands in a list request.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <davit/testing/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace davit::testing {

namespace detail {

/// Decodes %xx and '+'.
[[nodiscard]] inline std::string form_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out.push_back(
          static_cast<char>(std::strtol(std::string(text.substr(i + 1, 2)).c_str(), nullptr, 16)));
      i += 2;
    } else {
      out.push_back(text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

/// Splits at commas outside parentheses.
[[nodiscard]] inline std::vector<std::string> split_requirements(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += (c == '(' ? 1 : 0) - (c == ')' ? 1 : 0);
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back().push_back(c);
  }
  return parts;
}

/// One of: k=v, k in (a,b), k notin (a,b), k, !k.
[[nodiscard]] inline bool requirement_matches(std::string_view text, const Json* labels) {
  const auto value_of = [labels](std::string_view key) {
    return labels == nullptr ? nullptr : labels->find(key);
  };
  if (text.starts_with('!')) return value_of(text.substr(1)) == nullptr;
  const std::size_t open = text.find(" (");
  if (open != std::string_view::npos) {
    const std::size_t space = text.find(' ');
    const bool negated = text.substr(space + 1, open - space - 1) == "notin";
    const Json* value = value_of(text.substr(0, space));
    if (value == nullptr) return negated;
    const auto list = split_requirements(text.substr(open + 2, text.size() - open - 3));
    const bool listed = std::find(list.begin(), list.end(), value->text()) != list.end();
    return listed != negated;
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return value_of(text) != nullptr;
  const Json* value = value_of(text.substr(0, equals));
  return value != nullptr && value->text() == text.substr(equals + 1);
}

}  // namespace detail

/// The labelSelector of a form-encoded query, decoded; empty when there is none.
[[nodiscard]] inline std::string label_selector_of(std::string_view query) {
  constexpr std::string_view kParameter = "labelSelector=";
  const std::size_t at = query.find(kParameter);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = query.substr(at + kParameter.size());
  return detail::form_decode(rest.substr(0, rest.find('&')));
}

/// Whether the labels of `object` match a selector's text.
[[nodiscard]] inline bool labels_match(const Json& object, std::string_view selector) {
  if (selector.empty()) return true;
  for (const std::string& each : detail::split_requirements(selector)) {
    if (!detail::requirement_matches(each, object.at({"metadata", "labels"}))) return false;
  }
  return true;
}

}  // namespace davit::testing
