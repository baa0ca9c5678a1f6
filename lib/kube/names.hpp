/// The syntax of names. Each check returns the violations of a text, in the API's words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// Reasons why a text is refused, in the order in which they are shown; empty if it is valid.
using Violations = std::vector<std::string>;

/// The rule for names of a kind's objects.
enum class NameRule : std::uint8_t {
  kSubdomain,    ///< DNS-1123 subdomain, at most 253 bytes.
  kLabel,        ///< DNS-1123 label, at most 63 bytes.
  kPathSegment,  ///< Any text that fits between two slashes of a URL.
};

/// A DNS-1123 subdomain such as "a.b-c", at most 253 bytes.
[[nodiscard]] Violations check_dns_subdomain(std::string_view text);
/// A DNS-1123 label such as "a-b", at most 63 bytes.
[[nodiscard]] Violations check_dns_label(std::string_view text);
/// A DNS-1123 label that starts with a letter.
[[nodiscard]] Violations check_dns1035_label(std::string_view text);
/// Neither "." nor "..", no '/' and no '%'.
[[nodiscard]] Violations check_path_segment(std::string_view text);
/// "[prefix/]name", as keys of labels.
[[nodiscard]] Violations check_qualified_name(std::string_view text);
/// Empty, or the name part of a qualified name.
[[nodiscard]] Violations check_label_value(std::string_view text);
/// A port's name: at most 15 characters of a-z, 0-9 and '-', with at least one letter.
[[nodiscard]] Violations check_port_name(std::string_view text);
/// The name of an environment variable: printable ASCII without '='.
[[nodiscard]] Violations check_env_var_name(std::string_view text);
/// A key of a ConfigMap or a Secret: a plain file name.
[[nodiscard]] Violations check_config_key(std::string_view text);
/// An IPv4 or IPv6 address without brackets or zone.
[[nodiscard]] Violations check_ip(std::string_view text);
/// Checks a name by the rule of its kind; a `prefix` for generateName may end with '-'.
[[nodiscard]] Violations check_name(NameRule rule, std::string_view name);
[[nodiscard]] Violations check_generate_name(NameRule rule, std::string_view prefix);

/// Whether check_ip() finds no violation.
[[nodiscard]] bool is_ip(std::string_view text);
/// Whether `text` is an IPv6 address; false for everything else.
[[nodiscard]] bool is_ipv6(std::string_view text);

}  // namespace davit
