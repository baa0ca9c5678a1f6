#include "host/config/metric_settings.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/csv_line.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/text_file.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kKeyRule = "must be a metric and a label with a comma between, not ";

bool is_word(std::string_view text, std::string_view more) {
  const auto may_begin = [more](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           more.find(c) != std::string_view::npos;
  };
  return !text.empty() && may_begin(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return may_begin(c) || (c >= '0' && c <= '9'); });
}

/// Upstream splits only what has several entries (github.com/spf13/pflag, stringToString).
std::optional<std::vector<std::string>> entries_of(std::string_view value) {
  if (std::ranges::count(value, '=') > 1) return split_csv_line(value);
  while (value.starts_with('"')) value.remove_prefix(1);
  while (value.ends_with('"')) value.remove_suffix(1);
  return std::vector<std::string>{std::string(value)};
}

void read_labels(const YamlNode& node, const std::string& where, const std::string& file,
                 std::vector<Mistake>& mistakes, AllowedLabels& out) {
  Fields in(node, where, file, mistakes);
  for (const YamlMember& member : node.members) {
    in.text(member.key, out[member.key]);
    if (is_metric_label(member.key)) continue;
    in.mistake(member.value,
               "a key of " + where + " " + std::string(kKeyRule) + json_string(member.key));
  }
  in.finish();
}

}  // namespace

bool is_metric_name(std::string_view text) { return is_word(text, ":"); }

bool is_metric_label(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != std::string_view::npos && is_metric_name(text.substr(0, comma)) &&
         is_word(text.substr(comma + 1), "");
}

Result<AllowedLabels> parse_allowed_labels(std::span<const std::string> values) {
  AllowedLabels out;
  for (const std::string& value : values) {
    const auto entries = entries_of(value);
    if (!entries) return Status(Code::kInvalid, "a quote is missing in " + json_string(value));
    for (const std::string& entry : *entries) {
      const std::size_t equals = entry.find('=');
      if (equals == std::string::npos) {
        return Status(Code::kInvalid, json_string(entry) + " must be formatted as key=value");
      }
      const std::string key = entry.substr(0, equals);
      if (!is_metric_label(key)) {
        return Status(Code::kInvalid, "a key " + std::string(kKeyRule) + json_string(key));
      }
      out[key] = entry.substr(equals + 1);
    }
  }
  return out;
}

void read_metrics(Fields& in, const PathResolver& resolve, MetricSettings& out) {
  in.texts("disabled", out.disabled);
  for (const std::string& each : out.disabled) {
    if (is_metric_name(each)) continue;
    in.mistake(*in.any("disabled"),
               in.path("disabled") + " must have names of metrics, not " + json_string(each));
  }
  if (const YamlNode* node = in.any("allowedLabels")) {
    read_labels(*node, in.path("allowedLabels"), in.file(), in.mistakes(), out.allowed_labels);
  }
  in.text("allowedLabelsFile", out.allowed_labels_file);
  out.allowed_labels_file = resolve(out.allowed_labels_file);
}

AllowedLabels load_allowed_labels(const std::string& path, std::vector<Mistake>& mistakes) {
  AllowedLabels out;
  const Result<std::string> text = read_text_file(path);
  if (!text) {
    mistakes.push_back({path, 0, 0, text.error().message()});
    return out;
  }
  const YamlDocument document = parse_yaml(*text, path);
  mistakes.insert(mistakes.end(), document.mistakes.begin(), document.mistakes.end());
  if (!document.mistakes.empty()) return out;
  const YamlNode* const below = document.root.find("allowListMapping");
  read_labels(below != nullptr ? *below : document.root, "allowListMapping", path, mistakes, out);
  return out;
}

}  // namespace davit::host
