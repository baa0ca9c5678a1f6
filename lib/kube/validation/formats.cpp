#include "lib/kube/validation/formats.hpp"

#include <algorithm>
#include <charconv>
#include <davit/base64.hpp>
#include <davit/hex.hpp>
#include <davit/kube/ip.hpp>
#include <davit/kube/time.hpp>
#include <string>

#include "lib/base/assert.hpp"

namespace davit {

namespace {

bool all_of_set(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view kDigits = "0123456789";

bool is_ip(std::string_view text) { return check_ip(text).empty(); }

bool is_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || !is_ip(text.substr(0, slash))) return false;
  const std::string_view bits = text.substr(slash + 1);
  if (bits.empty() || bits.size() > 3 || !all_of_set(bits, kDigits)) return false;
  int value = 0;
  for (const char c : bits) value = value * 10 + (c - '0');
  return value <= (is_ipv6(text.substr(0, slash)) ? 128 : 32);
}

bool is_uuid(std::string_view text) {
  constexpr std::size_t kGroups[] = {8, 4, 4, 4, 12};
  for (const std::size_t size : kGroups) {
    if (text.size() < size || !is_hex(text.substr(0, size))) return false;
    text.remove_prefix(size);
    if (text.starts_with('-')) text.remove_prefix(1);
  }
  return text.empty();
}

/// Go's time.ParseDuration: "1h2m3.5s".
bool is_duration(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return true;
  bool any = false;
  while (!text.empty()) {
    const std::size_t number = std::min(text.size(), text.find_first_not_of("0123456789."));
    if (number == 0 || text.substr(0, number) == ".") return false;
    text.remove_prefix(number);
    bool unit = false;
    for (const std::string_view each : {"ns", "us", "µs", "ms", "s", "m", "h"}) {
      if (!text.starts_with(each)) continue;
      text.remove_prefix(each.size());
      unit = true;
      break;
    }
    if (!unit) return false;
    any = true;
  }
  return any;
}

bool is_date(std::string_view text) {
  return parse_wire_time(std::string(text) + "T00:00:00Z").has_value();
}

bool is_mac(std::string_view text) {
  if (text.size() != 17) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separator = i % 3 == 2;
    if (separator ? text[i] != ':' && text[i] != '-' : !is_hex(text.substr(i, 1))) {
      return false;
    }
  }
  return true;
}

bool is_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  return at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
         text.find(' ') == std::string_view::npos;
}

bool is_uri(std::string_view text) {
  return text.find(':') != std::string_view::npos || text.starts_with('/');
}

bool is_hostname(std::string_view text) {
  const auto allowed = [](char c) {
    return c == '-' || c == '.' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  };
  return !text.empty() && text.size() <= 255 && std::all_of(text.begin(), text.end(), allowed);
}

struct Format {
  std::string_view name;
  bool (*holds)(std::string_view text);
};

constexpr Format kFormats[] = {
    {"date-time", [](std::string_view text) { return parse_wire_time(text).has_value(); }},
    {"datetime", [](std::string_view text) { return parse_wire_time(text).has_value(); }},
    {"date", is_date},
    {"duration", is_duration},
    {"ipv4", [](std::string_view text) { return is_ip(text) && !is_ipv6(text); }},
    {"ipv6", is_ipv6},
    {"cidr", is_cidr},
    {"mac", is_mac},
    {"uuid", is_uuid},
    {"uuid3", is_uuid},
    {"uuid4", is_uuid},
    {"uuid5", is_uuid},
    {"email", is_email},
    {"uri", is_uri},
    {"hostname", is_hostname},
    {"byte", [](std::string_view text) { return decode_base64(text).has_value(); }},
};

constexpr std::int64_t kPortMax = 65535;
constexpr std::string_view kPercentText =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
    "'93%', regex used for validation is '[0-9]+%')";

bool is_percent(std::string_view text) {
  if (text.size() < 2 || text.back() != '%') return false;
  text.remove_suffix(1);
  return all_of_set(text, kDigits);
}

Violations check_port_or_name(const Json& value) {
  if (value.is_string()) return check_port_name(value.text());
  const std::int64_t port = value.integer_or(0);
  if (port >= 1 && port <= kPortMax) return {};
  return {"must be between 1 and 65535, inclusive"};
}

Violations check_int_or_percent(const Json& value) {
  if (value.is_string()) {
    if (is_percent(value.text())) return {};
    return {std::string(kPercentText)};
  }
  if (value.integer_or(0) >= 0) return {};
  return {"must be greater than or equal to 0"};
}

Violations check_at_most_100_percent(const Json& value) {
  if (!value.is_string() || int_or_percent_value(value) <= 100) return {};
  return {"must not be greater than 100%"};
}

/// In which range that no other host can reach; null when in none.
const char* special_range(const ip::Address& address) {
  if (address.is_loopback()) return "may not be in the loopback range (127.0.0.0/8, ::1/128)";
  if (address.is_link_local_unicast()) {
    return "may not be in the link-local range (169.254.0.0/16, fe80::/10)";
  }
  if (address.is_link_local_multicast()) {
    return "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)";
  }
  return nullptr;
}

/// An address that other hosts can reach (k8s: ValidateEndpointIP).
Violations check_endpoint_ip(std::string_view text) {
  Violations out = check_ip(text);
  if (!out.empty()) return out;
  const ip::Address address = ip::Address::parse(text)->unmapped();
  if (address.is_unspecified()) return {"may not be unspecified (" + std::string(text) + ")"};
  if (const char* range = special_range(address)) return {range};
  return out;
}

/// Whether all bits behind the prefix of a valid CIDR are 0.
bool is_masked(std::string_view cidr) {
  const std::size_t slash = cidr.find('/');
  const ip::Address address = ip::Address::parse(cidr.substr(0, slash)).value();
  int length = 0;
  for (const char digit : cidr.substr(slash + 1)) length = length * 10 + (digit - '0');
  return ip::Prefix(address, length).first() == address;
}

/// k8s: IsValidCIDRForLegacyField, strict.
Violations check_cidr(std::string_view text) {
  if (!is_cidr(text)) return {"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"};
  if (is_masked(text)) return {};
  return {"must not have bits set beyond the prefix length"};
}

template <Violations (*kCheck)(std::string_view)>
Violations check_text(const Json& value) {
  return kCheck(value.text());
}

struct ApiFormat {
  std::string_view name;
  FormatCheck check;
};

constexpr ApiFormat kApiFormats[] = {
    {"dns-label", check_text<check_dns_label>},
    {"dns1035-label", check_text<check_dns1035_label>},
    {"dns-subdomain", check_text<check_dns_subdomain>},
    {"dns-subdomain-prefix",
     [](const Json& value) { return check_generate_name(NameRule::kSubdomain, value.text()); }},
    {"path-segment", check_text<check_path_segment>},
    {"qualified-name", check_text<check_qualified_name>},
    {"label-value", check_text<check_label_value>},
    {"port-name", check_text<check_port_name>},
    {"port-or-name", check_port_or_name},
    {"env-var-name", check_text<check_env_var_name>},
    {"config-key", check_text<check_config_key>},
    {"ip", check_text<check_ip>},
    {"endpoint-ip", check_text<check_endpoint_ip>},
    {"cidr", check_text<check_cidr>},
    {"int-or-percent", check_int_or_percent},
    {"at-most-100-percent", check_at_most_100_percent},
};

}  // namespace

bool has_format(std::string_view format, std::string_view text) {
  for (const Format& each : kFormats) {
    if (each.name == format) return each.holds(text);
  }
  return true;
}

FormatCheck find_format(std::string_view name) {
  const ApiFormat* found = std::ranges::find(kApiFormats, name, &ApiFormat::name);
  return found == std::end(kApiFormats) ? nullptr : found->check;
}

void check_format(std::string_view format, const Json& value, const FieldPath& path,
                  FieldErrors& errors) {
  const FormatCheck check = find_format(format);
  DAVIT_ASSERT(check != nullptr);
  for (const std::string& each : check(value)) {
    errors.push_back(field_invalid(path.text(), value, each));
  }
}

std::int64_t int_or_percent_value(const Json& value) {
  if (!value.is_string()) return value.integer_or(0);
  if (!is_percent(value.text())) return 0;
  std::int64_t number = 0;
  const char* end = value.text().data() + value.text().size() - 1;
  std::from_chars(value.text().data(), end, number);
  return number;
}

}  // namespace davit
