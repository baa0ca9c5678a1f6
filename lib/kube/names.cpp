#include "lib/kube/names.hpp"

#include <algorithm>
#include <davit/kube/ip.hpp>
#include <davit/kube/label_syntax.hpp>
#include <optional>

namespace davit {

namespace {

constexpr std::size_t kPortNameBytesMax = 15;

#define DAVIT_LABEL_FORM "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define DAVIT_KEY_FORM "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

constexpr std::string_view kSubdomainText =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '" DAVIT_LABEL_FORM "(\\." DAVIT_LABEL_FORM ")*')";
constexpr std::string_view kLabelText =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '" DAVIT_LABEL_FORM "')";
constexpr std::string_view kLabel1035Text =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kKeyText =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '" DAVIT_KEY_FORM "')";
constexpr std::string_view kLabelValueText =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value', "
    " or '12345', regex used for validation is '(" DAVIT_KEY_FORM ")?')";
constexpr std::string_view kConfigKeyText =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
    "'[-._a-zA-Z0-9]+')";
constexpr std::string_view kEnvVarText =
    "a valid environment variable name must consist only of printable ASCII characters other "
    "than '='";

#undef DAVIT_LABEL_FORM
#undef DAVIT_KEY_FORM

std::string too_long(std::size_t bytes_max) {
  return "must be no more than " + std::to_string(bytes_max) + " bytes";
}

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_key_char(char c) { return detail::is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }

}  // namespace

Violations check_dns_subdomain(std::string_view text) {
  Violations out;
  if (text.size() > kSubdomainBytesMax) out.push_back(too_long(kSubdomainBytesMax));
  if (!has_subdomain_form(text)) out.emplace_back(kSubdomainText);
  return out;
}

Violations check_dns_label(std::string_view text) {
  Violations out;
  if (text.size() > kLabelBytesMax) out.push_back(too_long(kLabelBytesMax));
  if (!has_label_form(text))
    out.emplace_back(has_subdomain_form(text) ? "must not contain dots" : kLabelText);
  return out;
}

Violations check_dns1035_label(std::string_view text) {
  Violations out;
  if (text.size() > kLabelBytesMax) out.push_back(too_long(kLabelBytesMax));
  if (!has_label_form(text) || !is_lower(text.front())) out.emplace_back(kLabel1035Text);
  return out;
}

Violations check_path_segment(std::string_view text) {
  for (const std::string_view whole : {".", ".."}) {
    if (text == whole) return {"may not be '" + std::string(whole) + "'"};
  }
  Violations out;
  for (const char each : {'/', '%'}) {
    if (text.find(each) != std::string_view::npos) {
      out.push_back("may not contain '" + std::string(1, each) + "'");
    }
  }
  return out;
}

Violations check_qualified_name(std::string_view text) {
  Violations out;
  std::string_view name = text;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {std::string("a valid label key ").append(kKeyText) +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    const std::string_view prefix = text.substr(0, slash);
    if (prefix.empty()) out.emplace_back("prefix part must be non-empty");
    if (!prefix.empty()) {
      for (const std::string& each : check_dns_subdomain(prefix)) {
        out.push_back("prefix part " + each);
      }
    }
  }
  if (name.empty()) out.emplace_back("name part must be non-empty");
  if (name.size() > kLabelBytesMax) {
    out.push_back("name part " + too_long(kLabelBytesMax));
  }
  if (!has_qualified_form(name)) out.push_back(std::string("name part ").append(kKeyText));
  return out;
}

Violations check_label_value(std::string_view text) {
  Violations out;
  if (text.size() > kLabelBytesMax) out.push_back(too_long(kLabelBytesMax));
  if (!text.empty() && !has_qualified_form(text)) out.emplace_back(kLabelValueText);
  return out;
}

Violations check_port_name(std::string_view text) {
  Violations out;
  if (text.size() > kPortNameBytesMax) out.push_back(too_long(kPortNameBytesMax));
  const auto allowed = [](char c) { return detail::is_lower_or_digit(c) || c == '-'; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), allowed)) {
    out.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(text.begin(), text.end(), is_lower)) {
    out.emplace_back("must contain at least one letter (a-z)");
  }
  if (text.find("--") != std::string_view::npos) {
    out.emplace_back("must not contain consecutive hyphens");
  }
  if (!text.empty() && (text.front() == '-' || text.back() == '-')) {
    out.emplace_back("must not begin or end with a hyphen");
  }
  return out;
}

Violations check_env_var_name(std::string_view text) {
  if (text.empty()) return {"environment variable name must be non-empty"};
  const auto printable = [](char c) { return c >= ' ' && c <= '~' && c != '='; };
  if (std::all_of(text.begin(), text.end(), printable)) return {};
  return {std::string(kEnvVarText)};
}

Violations check_config_key(std::string_view text) {
  Violations out;
  if (text.size() > kSubdomainBytesMax) out.push_back(too_long(kSubdomainBytesMax));
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_key_char)) {
    out.emplace_back(kConfigKeyText);
  }
  if (text == "." || text == "..") {
    out.push_back("must not be '" + std::string(text) + "'");
  } else if (text.substr(0, 2) == "..") {
    out.emplace_back("must not start with '..'");
  }
  return out;
}

Violations check_ip(std::string_view text) {
  if (is_ip(text)) return {};
  return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
}

bool is_ip(std::string_view text) { return ip::Address::parse(text).has_value(); }

bool is_ipv6(std::string_view text) {
  const std::optional<ip::Address> address = ip::Address::parse(text);
  return address && address->family == ip::Family::kIPv6;
}

Violations check_name(NameRule rule, std::string_view name) {
  switch (rule) {
    case NameRule::kSubdomain:
      return check_dns_subdomain(name);
    case NameRule::kLabel:
      return check_dns_label(name);
    case NameRule::kPathSegment:
      return check_path_segment(name);
  }
  return {};
}

Violations check_generate_name(NameRule rule, std::string_view prefix) {
  if (rule == NameRule::kPathSegment || prefix.size() < 2 || prefix.back() != '-') {
    return check_name(rule, prefix);
  }
  // The appended text makes the '-' an inner one. k8s: maskTrailingDash, which takes two away.
  const std::string masked = std::string(prefix.substr(0, prefix.size() - 2)) + 'a';
  return check_name(rule, masked);
}

}  // namespace davit
