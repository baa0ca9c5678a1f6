#include "lib/net/accept.hpp"

#include <algorithm>

#include "lib/base/take_until.hpp"
#include "lib/base/trimmed.hpp"

namespace davit::sandbox {

namespace {

constexpr int kFullQuality = 1000;

/// "0.5" in thousandths. A text that is not such a number counts as 1, as upstream.
int parse_quality(std::string_view text) {
  int out = 0;
  int scale = kFullQuality;
  bool point = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') return kFullQuality;
    if (point) scale /= 10;
    if (out <= kFullQuality) out = point ? out + (c - '0') * scale : out * 10 + (c - '0') * scale;
  }
  return text.empty() ? kFullQuality : std::min(out, kFullQuality);
}

AcceptEntry parse_entry(std::string_view text) {
  AcceptEntry out;
  out.text = text;
  std::string_view rest = text;
  out.type = trimmed(take_until(rest, ";"));
  while (!rest.empty()) {
    const std::string_view parameter = trimmed(take_until(rest, ";"));
    std::string_view value = parameter;
    const std::string_view name = trimmed(take_until(value, "="));
    if (name == "as") out.as = value;
    if (name == "g") out.group = value;
    if (name == "v") out.version = value;
    if (name == "stream") out.stream = value;
    if (name == "pretty") out.pretty = value == "1";
    if (name != "q") continue;
    out.quality = parse_quality(value);
    const auto at = static_cast<std::size_t>(parameter.data() - text.data());
    out.text = trimmed(text.substr(0, text.rfind(';', at)));
  }
  return out;
}

/// Wildcards come last among equals.
int wildcards(const AcceptEntry& entry) {
  if (entry.type == "*/*" || entry.type == "*") return 2;
  return entry.type.ends_with("/*") ? 1 : 0;
}

}  // namespace

bool AcceptEntry::takes(std::string_view media_type) const {
  if (type == media_type || type == "*/*" || type == "*") return true;
  return type.ends_with("/*") && media_type.starts_with(type.substr(0, type.size() - 1));
}

std::vector<AcceptEntry> parse_accept(std::string_view header) {
  std::vector<AcceptEntry> out;
  std::string_view rest = trimmed(header).empty() ? "*/*" : header;
  while (!rest.empty()) {
    const std::string_view text = trimmed(take_until(rest, ","));
    if (text.empty()) continue;
    AcceptEntry entry = parse_entry(text);
    if (entry.quality > 0) out.push_back(entry);
  }
  std::stable_sort(out.begin(), out.end(), [](const AcceptEntry& a, const AcceptEntry& b) {
    if (a.quality != b.quality) return a.quality > b.quality;
    return wildcards(a) < wildcards(b);
  });
  return out;
}

}  // namespace davit::sandbox
