#include "sandbox/crd/formats.hpp"

#include <algorithm>

#include "lib/base/base64.hpp"
#include "lib/kube/names.hpp"
#include "sandbox/schema/times.hpp"

namespace davit::sandbox {

namespace {

bool all_of_set(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHex = "0123456789abcdefABCDEF";

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
    if (text.size() < size || !all_of_set(text.substr(0, size), kHex)) return false;
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
  return parse_time(std::string(text) + "T00:00:00Z").has_value();
}

bool is_mac(std::string_view text) {
  if (text.size() != 17) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separator = i % 3 == 2;
    if (separator ? text[i] != ':' && text[i] != '-' : kHex.find(text[i]) == kHex.npos) {
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
    {"date-time", [](std::string_view text) { return parse_time(text).has_value(); }},
    {"datetime", [](std::string_view text) { return parse_time(text).has_value(); }},
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

}  // namespace

bool has_format(std::string_view format, std::string_view text) {
  for (const Format& each : kFormats) {
    if (each.name == format) return each.holds(text);
  }
  return true;
}

}  // namespace davit::sandbox
