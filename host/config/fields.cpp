#include "host/config/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <davit/kube/signed_duration.hpp>

#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

std::string join(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) {
    if (!out.empty()) out += ", ";
    out += item;
  }
  return out;
}

std::string plain(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

}  // namespace

Fields::Fields(const YamlNode& node, std::string where, const std::string& file,
               std::vector<Mistake>& out, Nulls nulls, Values values)
    : node_(node),
      where_(std::move(where)),
      file_(file),
      out_(out),
      nulls_(nulls),
      values_(values) {
  if (node.kind == YamlNode::Kind::kMapping || node.is_null()) return;
  mistake(node, (where_.empty() ? "the file" : where_) + " must be a mapping, not " + shown(node));
}

std::string Fields::shown(const YamlNode& node) const {
  if (values_ == Values::kShown) return node.describe();
  switch (node.kind) {
    case YamlNode::Kind::kBoolean:
      return "a boolean";
    case YamlNode::Kind::kInteger:
    case YamlNode::Kind::kFloat:
      return "a number";
    case YamlNode::Kind::kString:
      return "a string";
    default:
      return node.describe();
  }
}

std::string Fields::path(std::string_view key) const {
  return where_.empty() ? std::string(key) : where_ + "." + std::string(key);
}

void Fields::mistake(const YamlNode& at, std::string text) {
  out_.push_back({file_, at.line, at.column, std::move(text)});
}

const YamlNode* Fields::any(std::string_view key) {
  allowed_.emplace_back(key);
  return node_.find(key);
}

void Fields::wrong(std::string_view key, const YamlNode& node, std::string_view wanted) {
  mistake(node, path(key) + " must be " + std::string(wanted) + ", not " + shown(node));
}

const YamlNode* Fields::wanted(std::string_view key, std::string_view wanted) {
  const YamlNode* node = any(key);
  if (node == nullptr) return nullptr;
  if (!node->is_null()) return node;
  if (nulls_ == Nulls::kMistake) wrong(key, *node, wanted);
  return nullptr;
}

void Fields::text(std::string_view key, std::string& out) {
  const YamlNode* node = wanted(key, "a string");
  if (node == nullptr) return;
  if (node->kind == YamlNode::Kind::kString) {
    out = node->text;
  } else if (node->kind == YamlNode::Kind::kSequence || node->kind == YamlNode::Kind::kMapping) {
    wrong(key, *node, "a string");
  } else {
    wrong(key, *node, "a string (put quotes around it)");
  }
}

void Fields::name(std::string_view key, std::string& out) {
  const std::size_t before = out_.size();
  std::string value;
  text(key, value);
  const YamlNode* node = node_.find(key);
  if (node == nullptr || out_.size() != before) return;
  if (value.empty()) {
    mistake(*node, path(key) + " must not be empty");
  } else {
    out = std::move(value);
  }
}

void Fields::boolean(std::string_view key, bool& out) {
  const YamlNode* node = wanted(key, "true or false");
  if (node == nullptr) return;
  if (node->kind == YamlNode::Kind::kBoolean) {
    out = node->text[0] == 't' || node->text[0] == 'T';
  } else {
    wrong(key, *node, "true or false");
  }
}

void Fields::integer(std::string_view key, std::int64_t min, std::int64_t max, std::int64_t& out) {
  const std::string range =
      "a whole number from " + std::to_string(min) + " to " + std::to_string(max);
  const YamlNode* node = wanted(key, range);
  if (node == nullptr) return;
  const std::string& text = node->text;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = node->kind == YamlNode::Kind::kInteger && error == std::errc() &&
                      stop == text.data() + text.size();
  if (!number || value < min || value > max) {
    wrong(key, *node, range);
  } else if (text.size() > 1 && text[text[0] == '-' ? 1 : 0] == '0') {
    wrong(key, *node, range + " without leading zeros");
  } else {
    out = value;
  }
}

void Fields::number(std::string_view key, double min, double max, double& out) {
  const std::string range = "a number from " + plain(min) + " to " + plain(max);
  const YamlNode* node = wanted(key, range);
  if (node == nullptr) return;
  const std::string& text = node->text;
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number =
      (node->kind == YamlNode::Kind::kInteger || node->kind == YamlNode::Kind::kFloat) &&
      error == std::errc() && stop == text.data() + text.size() && std::isfinite(value);
  if (number && value >= min && value <= max) {
    out = value;
  } else {
    wrong(key, *node, range);
  }
}

void Fields::duration(std::string_view key, Duration min, Duration& out) {
  constexpr const char* kWanted = "a duration such as 15s, 1m30s or 500ms";
  const YamlNode* node = wanted(key, kWanted);
  if (node == nullptr) return;
  const std::optional<Duration> value = node->kind == YamlNode::Kind::kString || node->text == "0"
                                            ? parse_signed_duration(node->text)
                                            : std::nullopt;
  if (!value) {
    wrong(key, *node, kWanted);
  } else if (*value < min) {
    mistake(*node, path(key) + " must be at least " + format_duration(min));
  } else {
    out = *value;
  }
}

void Fields::choice(std::string_view key, const std::vector<std::string>& allowed,
                    std::string& out) {
  const std::string options = "one of " + join(allowed);
  const YamlNode* node = wanted(key, options);
  if (node == nullptr) return;
  const bool known = std::find(allowed.begin(), allowed.end(), node->text) != allowed.end();
  if (node->kind == YamlNode::Kind::kString && known) {
    out = node->text;
  } else {
    wrong(key, *node, options);
  }
}

void Fields::texts(std::string_view key, std::vector<std::string>& out) {
  const YamlNode* node = wanted(key, "a list of strings");
  if (node == nullptr) return;
  if (node->kind != YamlNode::Kind::kSequence) {
    wrong(key, *node, "a list of strings");
    return;
  }
  std::vector<std::string> values;
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    const YamlNode& item = node->items[i];
    if (item.kind != YamlNode::Kind::kString || item.text.empty()) {
      mistake(item, path(key) + "[" + std::to_string(i) +
                        "] must be a string that is not empty, not " + shown(item));
    } else {
      values.push_back(item.text);
    }
  }
  out = std::move(values);
}

void Fields::finish(const Unknown& unknown) {
  std::vector<std::string> sorted = allowed_;
  std::sort(sorted.begin(), sorted.end());
  for (const YamlMember& member : node_.members) {
    if (std::binary_search(sorted.begin(), sorted.end(), member.key)) continue;
    std::string text = "unknown key " + short_json_string(member.key);
    if (!where_.empty()) text += " in " + where_;
    const std::string meant = nearest(member.key, sorted);
    if (!meant.empty()) text += "; did you mean " + json_string(meant) + "?";
    text += " (allowed: " + join(sorted) + ")";
    if (unknown) {
      unknown(member, std::move(text));
    } else {
      out_.push_back({file_, member.line, member.column, std::move(text)});
    }
  }
}

}  // namespace davit::host
