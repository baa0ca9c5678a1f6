#include "host/upstream/flag_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <davit/kube/label_syntax.hpp>
#include <davit/kube/signed_duration.hpp>
#include <filesystem>
#include <optional>
#include <utility>

#include "host/config/manifest.hpp"
#include "lib/base/absolute_path.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/take_until.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kNamedPairs = "tls-sni-cert-key";

Status wrong(const UpstreamFlag& flag, std::string_view allowed, std::string_view value) {
  return {Code::kInvalid, "--" + std::string(flag.name) + " must be " + std::string(allowed) +
                              ", not " + json_string(value)};
}

/// Go's strconv.ParseBool.
std::optional<bool> parse_go_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && stop == text.data() + text.size() && !text.empty();
  return good ? std::optional(value) : std::nullopt;
}

Result<Json> read_integer(const UpstreamFlag& flag, const std::string& text) {
  const std::optional<std::int64_t> value = parse_number<std::int64_t>(text);
  if (!value) return wrong(flag, "a whole number", text);
  if (static_cast<double>(*value) >= flag.least && static_cast<double>(*value) <= flag.most) {
    return Json(*value);
  }
  const std::string least = std::to_string(static_cast<std::int64_t>(flag.least));
  if (flag.most > 1e9) return wrong(flag, "at least " + least, text);
  return wrong(
      flag, "from " + least + " to " + std::to_string(static_cast<std::int64_t>(flag.most)), text);
}

Result<Json> read_number(const UpstreamFlag& flag, const std::string& text) {
  const std::optional<double> value = parse_number<double>(text);
  if (!value) return wrong(flag, "a number", text);
  // Go also takes ".5", which is not JSON.
  if (const Result<Json> json = parse_json(text); json && json->is_number()) return *json;
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *value).ptr;
  return Json::number(std::string_view(digits.data(), end));
}

Result<Json> read_duration(const UpstreamFlag& flag, const std::string& text) {
  const std::optional<Duration> value = parse_signed_duration(text);
  const bool any_sign = flag.name.ends_with("cluster-signing-duration");
  if (value && (any_sign || *value >= Duration::zero())) return Json(text);
  return wrong(flag, "a duration such as 15s or 1m30s", text);
}

Result<Json> read_list(std::span<const std::string> values) {
  Json list = Json::array();
  for (const std::string& each : values) {
    for (std::string_view rest = each; !rest.empty();) {
      const std::string_view item = take_until(rest, ",");
      if (!item.empty()) list.push_back(Json(item));
    }
  }
  return list;
}

constexpr std::string_view kCloudProvider = "cloud-provider";

/// Whether the value of that flag names one; else the cloud is somebody else's, or there is none.
bool names_provider(const Json& value) {
  return value.is_string() && !value.text().empty() && value.text() != "external";
}

/// The rules of upstream beyond the type of a value: what is allowed instead of this one, or empty.
std::string_view allowed_instead(const UpstreamFlag& flag, const Json& value) {
  if (flag.name == "cidr-allocator-type" && value.text() != "RangeAllocator") {
    return "RangeAllocator";
  }
  if (flag.name == kCloudProvider && names_provider(value) && !is_dns_label(value.text())) {
    return "external, empty or the name of a provider";
  }
  if (flag.name == "leader-elect-resource-lock" && value.text() != "leases") return "leases";
  if (flag.name == "show-hidden-metrics-for-version" && !value.text().empty() &&
      value.text() != "1.35") {
    return "the previous minor version, 1.35";
  }
  if (flag.name == "disabled-metrics" && !std::ranges::all_of(value.items(), [](const Json& each) {
        return is_metric_name(each.text());
      })) {
    return "names of metrics";
  }
  if (flag.name == "log-flush-frequency" &&
      parse_signed_duration(value.text()) == Duration::zero()) {
    return "longer than zero";
  }
  return "";
}

Result<Json> read_gates(std::span<const std::string> values) {
  const Result<GateSettings> gates = parse_feature_gates(values);
  if (!gates) return gates.error();
  Json out = Json::object();
  for (const auto& [name, on] : *gates) out.set(name, Json(on));
  return out;
}

/// Upstream appends the lists of several flags.
Result<Json> read_modules(const UpstreamFlag& flag, std::span<const std::string> values) {
  Result<Json> list = read_list(values);
  const Result<LogModules> modules = log_modules(texts_of(*list));
  if (modules) return list;
  return Status(Code::kInvalid, "--" + std::string(flag.name) + ": " + modules.error().message());
}

Result<Json> read_labels(const UpstreamFlag& flag, std::span<const std::string> values) {
  const Result<AllowedLabels> labels = parse_allowed_labels(values);
  if (!labels) {
    return Status(Code::kInvalid, "--" + std::string(flag.name) + ": " + labels.error().message());
  }
  Json out = Json::object();
  for (const auto& [key, allowed] : *labels) out.set(key, Json(allowed));
  return out;
}

/// Each value is a pair of files, CERT,KEY, and perhaps names.
Result<Json> read_pairs(const UpstreamFlag& flag, std::span<const std::string> values) {
  Json list = Json::array();
  for (const std::string& each : values) {
    const std::optional<NamedFiles> files = parse_named_files(each);
    if (!files) return wrong(flag, "CERT,KEY or CERT,KEY:NAME,NAME", each);
    list.push_back(Json(absolute_path(files->certificate_file).string() + "," +
                        absolute_path(files->key_file).string() +
                        each.substr(std::min(each.find(':', each.find(',')), each.size()))));
  }
  return list;
}

Result<Json> read_by_kind(const UpstreamFlag& flag, std::span<const std::string> values) {
  if (flag.name == kFeatureGates) return read_gates(values);
  if (flag.name == kModules) return read_modules(flag, values);
  if (flag.name == kAllowedLabels) return read_labels(flag, values);
  if (flag.name == kNamedPairs) return read_pairs(flag, values);
  const std::string& last = values.back();
  switch (flag.kind()) {
    case FlagKind::kBoolean: {
      const std::optional<bool> value = parse_go_bool(last);
      return value ? Result<Json>(Json(*value)) : wrong(flag, "true or false", last);
    }
    case FlagKind::kInteger:
      return read_integer(flag, last);
    case FlagKind::kNumber:
      return read_number(flag, last);
    case FlagKind::kDuration:
      return read_duration(flag, last);
    case FlagKind::kFile:
      if (last.empty()) return Json(last);
      return Json(absolute_path(last).string());
    case FlagKind::kList:
      return read_list(values);
    case FlagKind::kText:
      break;
  }
  return Json(last);
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    out.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> out;
  for (const Json& each : list.items()) out.push_back(each.text());
  return out;
}

Result<Json> read_flag(const UpstreamFlag& flag, std::span<const std::string> values) {
  Result<Json> value = read_by_kind(flag, values);
  if (!value) return value;
  const std::string_view allowed = allowed_instead(flag, *value);
  if (!allowed.empty()) return wrong(flag, allowed, values.back());
  return value;
}

bool is_default(const UpstreamFlag& flag, const Json& value) {
  if (flag.kind() == FlagKind::kList) return value.empty() && flag.fallback.size() <= 2;
  if (flag.fallback.empty() && value.empty()) return true;
  const std::vector<std::string> fallback = {std::string(flag.fallback)};
  if (flag.kind() == FlagKind::kDuration) {
    const std::string text = fallback[0].empty() ? "0s" : fallback[0];
    return parse_signed_duration(text) == parse_signed_duration(value.text());
  }
  const Result<Json> other = read_by_kind(flag, fallback);
  return other && *other == value;
}

std::vector<ManifestValue> manifest_values(const UpstreamFlag& flag, const Json& value) {
  std::vector<ManifestValue> out;
  if (flag.name == kCloudProvider && names_provider(value)) {
    out.push_back({{"controllerSettings", value.text(), "enabled"}, Json(true)});
  }
  if (flag.setting.empty()) return out;
  for (std::string_view each_path : split(flag.setting, ',')) {
    const bool opposite = each_path.starts_with('!');
    if (opposite) each_path.remove_prefix(1);
    out.push_back({split(each_path, '.'), opposite ? Json(!value.boolean()) : value});
  }
  return out;
}

}  // namespace davit::host
