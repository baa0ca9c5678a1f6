#include "sandbox/metrics/metric_rule.hpp"

#include <algorithm>
#include <utility>

#include "lib/kube/script_fields.hpp"

namespace davit::sandbox {

namespace {

/// Names of objects and metrics are parts of URLs.
constexpr std::size_t kNameBytesMax = 253;
constexpr std::size_t kLabelsMax = 64;

struct TypeName {
  std::string_view name;
  MetricRuleType type;
};
constexpr TypeName kTypeNames[] = {{"resource", MetricRuleType::kResource},
                                   {"custom", MetricRuleType::kCustom},
                                   {"external", MetricRuleType::kExternal},
                                   {"raw", MetricRuleType::kRaw}};

/// One segment of a URL.
void read_name(ScriptFields& fields, std::string_view key, std::string& out) {
  fields.read(key, out);
  if (out.size() > kNameBytesMax) fields.fail(key, "must have at most 253 bytes");
  if (out.find_first_of("/%") != std::string::npos) fields.fail(key, "must not contain / or %");
}

void read_needed_name(ScriptFields& fields, std::string_view key, std::string& out) {
  read_name(fields, key, out);
  if (out.empty()) fields.fail(key, "is needed");
}

void read_amount(ScriptFields& fields, std::string_view key, std::optional<LoadShape>& out) {
  const Json* value = fields.take(key);
  if (value == nullptr) return;
  if (!value->is_string() && !value->is_number()) return fields.fail(key, "must be a quantity");
  const Result<LoadShape> amount = LoadShape::parse(value->text());
  if (!amount) return fields.fail(key, amount.error().message());
  if (amount->is_shared()) return fields.fail(key, "must not be a share: use share: total");
  out = *amount;
}

void read_selector(ScriptFields& fields, MetricRule& out) {
  std::string text;
  fields.read("selector", text);
  if (!fields.has("selector")) return;
  Result<LabelSelector> selector = LabelSelector::parse(text);
  if (!selector) return fields.fail("selector", selector.error().message());
  out.selector = std::move(*selector);
}

void read_labels(ScriptFields& fields, MetricRule& out) {
  const Json* labels = fields.take("labels");
  if (labels == nullptr) return;
  if (!labels->is_object()) return fields.fail("labels", "must be an object");
  if (labels->size() > kLabelsMax) return fields.fail("labels", "must have at most 64 members");
  for (const Json::Member& each : labels->members()) {
    if (!each.value.is_string()) return fields.fail("labels", "must have texts as values");
    out.labels.emplace_back(each.key, each.value.text());
  }
  std::ranges::sort(out.labels);
}

/// The members that custom and external rules have in common.
void read_metric(ScriptFields& fields, MetricRule& out) {
  read_needed_name(fields, "namespace", out.ns);
  read_needed_name(fields, "metric", out.metric);
  read_labels(fields, out);
  read_amount(fields, "value", out.value);
  if (!out.value) return fields.fail("value", "is needed");
  if (out.value->has_percent()) fields.fail("value", "must not be a percentage");
  fields.read("age", out.age);
}

void read_usage(ScriptFields& fields, MetricRule& out) {
  read_name(fields, "node", out.node);
  if (out.node.empty()) {
    read_needed_name(fields, "namespace", out.ns);
    read_selector(fields, out);
    read_name(fields, "container", out.container);
    std::string share = "each";
    fields.read("share", share);
    if (share != "each" && share != "total") fields.fail("share", "must be each or total");
    out.share = share == "total" ? UsageShare::kTotal : UsageShare::kEach;
    if (share == "total" && out.ns == "*") fields.fail("namespace", "must be one for share: total");
  }
  read_amount(fields, "cpu", out.cpu);
  read_amount(fields, "memory", out.memory);
  fields.read("absent", out.absent);
  fields.read("age", out.age);
  fields.read("window", out.window);
  for (const auto& [key, amount] : {std::pair("cpu", out.cpu), std::pair("memory", out.memory)}) {
    if (amount && amount->has_negative()) fields.fail(key, "must not be negative");
    const bool no_request = !out.node.empty() || out.share == UsageShare::kTotal;
    if (amount && no_request && amount->has_percent()) {
      fields.fail(key, "must not be a percentage here");
    }
  }
  const bool sets = out.cpu || out.memory || out.absent || fields.has("age") || out.window;
  if (!sets) fields.fail("", "needs one of cpu, memory, absent, age and window");
}

void read_custom(ScriptFields& fields, MetricRule& out) {
  read_name(fields, "group", out.group);
  read_needed_name(fields, "resource", out.resource);
  read_name(fields, "name", out.name);
  read_selector(fields, out);
  if (!out.name.empty() && out.selector) fields.fail("selector", "must not stand beside name");
  read_metric(fields, out);
  std::optional<std::uint64_t> seconds;
  fields.read("windowSeconds", seconds);
  if (seconds && *seconds > static_cast<std::uint64_t>(whole_seconds(kLongestScriptTime))) {
    return fields.fail("windowSeconds", "must be at most a year");
  }
  if (seconds) out.window = std::chrono::seconds(*seconds);
}

void read_raw(ScriptFields& fields, MetricRule& out) {
  fields.read("path", out.path);
  const auto is_below = [&out](std::string_view group) {
    return out.path.starts_with("/apis/" + std::string(group) + '/');
  };
  if (!is_below(kResourceMetrics) && !is_below(kCustomMetrics) && !is_below(kExternalMetrics)) {
    fields.fail("path", "must begin with /apis/ and one of the groups of metrics");
  }
  fields.read_within("code", out.code, 200, 599);
  const Json* body = fields.take("body");
  if (body == nullptr) return fields.fail("body", "is needed");
  out.body = body->is_string() ? body->text() : to_text(*body);
}

Result<MetricRule> parse_one(const Json& json, const std::string& path) {
  ScriptFields fields(json, path);
  if (!fields.mistake().ok()) return fields.mistake();
  MetricRule out;
  std::string type;
  fields.read("type", type);
  const auto* known = std::ranges::find(kTypeNames, type, &TypeName::name);
  if (known == std::end(kTypeNames)) {
    fields.fail("type", "must be one of resource, custom, external and raw");
    return fields.mistake();
  }
  out.type = known->type;
  switch (out.type) {
    case MetricRuleType::kResource:
      read_usage(fields, out);
      break;
    case MetricRuleType::kCustom:
      read_custom(fields, out);
      break;
    case MetricRuleType::kExternal:
      read_metric(fields, out);
      fields.read("window", out.window);
      break;
    case MetricRuleType::kRaw:
      read_raw(fields, out);
      break;
  }
  fields.refuse_others();
  if (!fields.mistake().ok()) return fields.mistake();
  out.source = json;
  return out;
}

}  // namespace

Result<std::vector<MetricRule>> parse_metric_rules(const Json& json) {
  std::vector<MetricRule> out;
  if (!json.is_array()) {
    Result<MetricRule> rule = parse_one(json, "");
    if (!rule) return rule.error();
    out.push_back(std::move(*rule));
    return out;
  }
  for (std::size_t i = 0; i < json.items().size(); ++i) {
    Result<MetricRule> rule = parse_one(json.items()[i], '[' + std::to_string(i) + ']');
    if (!rule) return rule.error();
    out.push_back(std::move(*rule));
  }
  return out;
}

}  // namespace davit::sandbox
