/// What label keys, label values and names may look like (k8s.io/apimachinery/pkg/util/validation).
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

namespace davit {

namespace detail {

[[nodiscard]] constexpr bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
[[nodiscard]] constexpr bool is_alphanumeric(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

/// Alphanumeric at both ends, and '-', '_', '.' between.
[[nodiscard]] constexpr bool is_qualified_part(std::string_view text) {
  if (text.empty() || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  for (const char c : text) {
    if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

}  // namespace detail

/// Labels of lower-case letters, digits and inner dashes, joined by dots; at most 253 bytes.
[[nodiscard]] constexpr bool is_dns_subdomain(std::string_view text) {
  constexpr std::size_t kSubdomainMax = 253;  // RFC 1123.
  if (text.empty() || text.size() > kSubdomainMax) return false;
  char before = '.';
  for (const char c : text) {
    if (c == '.' || c == '-') {
      if (before == '.' || (c == '.' && before == '-')) return false;
    } else if (!detail::is_lower_or_digit(c)) {
      return false;
    }
    before = c;
  }
  return detail::is_lower_or_digit(before);
}

/// [prefix/]name: a DNS subdomain, and at most 63 bytes of a name.
[[nodiscard]] inline Status check_label_key(std::string_view key) {
  constexpr std::size_t kNameMax = 63;
  const std::size_t slash = key.find('/');
  const std::string_view name = slash == std::string_view::npos ? key : key.substr(slash + 1);
  const bool prefix_ok = slash == std::string_view::npos || is_dns_subdomain(key.substr(0, slash));
  if (prefix_ok && name.size() <= kNameMax && detail::is_qualified_part(name)) return {};
  return Status(Code::kInvalid, "\"" + std::string(key) + "\" is not a valid label key");
}

/// Empty, or at most 63 bytes of a name.
[[nodiscard]] inline Status check_label_value(std::string_view value) {
  constexpr std::size_t kValueMax = 63;
  if (value.empty() || (value.size() <= kValueMax && detail::is_qualified_part(value))) return {};
  return Status(Code::kInvalid, "\"" + std::string(value) + "\" is not a valid label value");
}

[[nodiscard]] inline Status check_label(std::string_view key, std::string_view value) {
  const Status status = check_label_key(key);
  return status.ok() ? check_label_value(value) : status;
}

}  // namespace davit
