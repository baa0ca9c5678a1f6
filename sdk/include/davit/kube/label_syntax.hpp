/// The forms of names, label keys and label values (k8s.io/apimachinery/pkg/util/validation).
#pragma once

#include <string_view>

namespace davit {

/// Limits of a DNS-1123 subdomain, and of a DNS-1123 label, a label value and the name in a label
/// key.
inline constexpr std::size_t kSubdomainBytesMax = 253;
/// See kSubdomainBytesMax.
inline constexpr std::size_t kLabelBytesMax = 63;

namespace detail {

[[nodiscard]] constexpr bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
[[nodiscard]] constexpr bool is_alphanumeric(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

}  // namespace detail

// Forms of any length.

/// Lower-case letters, digits and inner dashes.
[[nodiscard]] constexpr bool has_label_form(std::string_view text) {
  if (text.empty() || text.front() == '-' || text.back() == '-') return false;
  for (const char c : text) {
    if (!detail::is_lower_or_digit(c) && c != '-') return false;
  }
  return true;
}

/// Labels joined by dots.
[[nodiscard]] constexpr bool has_subdomain_form(std::string_view text) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!has_label_form(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

/// Alphanumeric at both ends, and '-', '_', '.' between.
[[nodiscard]] constexpr bool has_qualified_form(std::string_view text) {
  if (text.empty() || !detail::is_alphanumeric(text.front()) ||
      !detail::is_alphanumeric(text.back())) {
    return false;
  }
  for (const char c : text) {
    if (!detail::is_alphanumeric(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

// Forms within their limits.

/// A DNS-1123 label: at most 63 bytes of lower-case letters, digits and dashes.
[[nodiscard]] constexpr bool is_dns_label(std::string_view text) {
  return text.size() <= kLabelBytesMax && has_label_form(text);
}

/// A DNS-1123 subdomain: labels with dots between them, at most 253 bytes.
[[nodiscard]] constexpr bool is_dns_subdomain(std::string_view text) {
  return text.size() <= kSubdomainBytesMax && has_subdomain_form(text);
}

/// [prefix/]name: a DNS subdomain, and at most 63 bytes of a name.
[[nodiscard]] constexpr bool is_label_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  const std::string_view name = slash == std::string_view::npos ? key : key.substr(slash + 1);
  const bool prefix_ok = slash == std::string_view::npos || is_dns_subdomain(key.substr(0, slash));
  return prefix_ok && name.size() <= kLabelBytesMax && has_qualified_form(name);
}

/// Empty, or at most 63 bytes of a name.
[[nodiscard]] constexpr bool is_label_value(std::string_view value) {
  return value.empty() || (value.size() <= kLabelBytesMax && has_qualified_form(value));
}

}  // namespace davit
