// HorizontalPodAutoscalers of autoscaling/v1 and v2. Rule: docs/spec/hpa.md, section 2.4.
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/conversion.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kMetricsKey = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kBehaviorKey = "autoscaling.alpha.kubernetes.io/behavior";
constexpr std::string_view kCurrentKey = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kConditionsKey = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::array kKeys = {kMetricsKey, kBehaviorKey, kCurrentKey, kConditionsKey};

/// A member that is left out when it has no value.
void put_set(Json& out, std::string_view key, const Json& value) {
  if (!value.is_null()) out.set(key, value);
}

/// A quantity that v1 cannot leave out.
void put_quantity(Json& out, std::string_view key, const Json& value) {
  out.set(key, value.is_null() ? Json("0") : value);
}

bool is_cpu_percent(const Json& metric) {
  return metric.get("type").text() == "Resource" && metric.text_at({"resource", "name"}) == "cpu" &&
         !value_at(metric, {"resource", "target", "averageUtilization"}).is_null();
}

/// The names of a metric's numbers: in a spec and in a status.
struct Numbers {
  std::string_view place;   ///< "target" or "current" of v2.
  std::string_view prefix;  ///< The same in the names of v1.

  [[nodiscard]] std::string name(std::string_view what) const {
    return std::string(prefix) + std::string(what);
  }
  [[nodiscard]] bool is_status() const { return prefix == "current"; }
};
constexpr Numbers kSpecNumbers{"target", "target"};
constexpr Numbers kStatusNumbers{"current", "current"};

/// resource and containerResource.
Json resource_to_v1(const Json& source, const Numbers& numbers) {
  const Json& amounts = source.get(numbers.place);
  Json out = Json::object({{"name", source.get("name")}});
  put_set(out, numbers.name("AverageUtilization"), amounts.get("averageUtilization"));
  const Json& average = amounts.get("averageValue");
  if (numbers.is_status()) {
    put_quantity(out, numbers.name("AverageValue"), average);
  } else {
    put_set(out, numbers.name("AverageValue"), average);
  }
  put_set(out, "container", source.get("container"));
  return out;
}

Json pods_to_v1(const Json& source, const Numbers& numbers) {
  Json out = Json::object({{"metricName", source.text_at({"metric", "name"})}});
  put_quantity(out, numbers.name("AverageValue"), source.get(numbers.place).get("averageValue"));
  put_set(out, "selector", source.get("metric").get("selector"));
  return out;
}

Json object_to_v1(const Json& source, const Numbers& numbers) {
  const Json& amounts = source.get(numbers.place);
  const Json& described = source.get("describedObject");
  Json target = Json::object(
      {{"kind", described.get("kind").text()}, {"name", described.get("name").text()}});
  put_set(target, "apiVersion", described.get("apiVersion"));
  Json out = Json::object(
      {{"target", std::move(target)}, {"metricName", source.text_at({"metric", "name"})}});
  put_quantity(out, numbers.name("Value"), amounts.get("value"));
  put_set(out, "selector", source.get("metric").get("selector"));
  put_set(out, "averageValue", amounts.get("averageValue"));
  return out;
}

Json external_to_v1(const Json& source, const Numbers& numbers) {
  const Json& amounts = source.get(numbers.place);
  Json out = Json::object({{"metricName", source.text_at({"metric", "name"})}});
  put_set(out, "metricSelector", source.get("metric").get("selector"));
  if (numbers.is_status()) {
    put_quantity(out, numbers.name("Value"), amounts.get("value"));
  } else {
    put_set(out, numbers.name("Value"), amounts.get("value"));
  }
  put_set(out, numbers.name("AverageValue"), amounts.get("averageValue"));
  return out;
}

Json metric_to_v1(const Json& metric, const Numbers& numbers) {
  Json out = Json::object({{"type", metric.get("type").text()}});
  const auto move = [&](std::string_view member, Json (*to_v1)(const Json&, const Numbers&)) {
    if (const Json* source = metric.find(member)) out.set(member, to_v1(*source, numbers));
  };
  move("object", object_to_v1);
  move("pods", pods_to_v1);
  move("resource", resource_to_v1);
  move("containerResource", resource_to_v1);
  move("external", external_to_v1);
  return out;
}

Json identifier_json(const Json& source, std::string_view selector) {
  Json out = Json::object({{"name", source.get("metricName").text()}});
  put_set(out, "selector", source.get(selector));
  return out;
}

/// The numbers of v2. A target has a type, too.
Json amounts_json(const Numbers& numbers, std::string_view type, const Json& value,
                  const Json& average, const Json& percent = Json()) {
  Json out = Json::object();
  if (!numbers.is_status()) out.set("type", type);
  put_set(out, "value", value);
  put_set(out, "averageValue", average);
  put_set(out, "averageUtilization", percent);
  return out;
}

Json resource_from_v1(const Json& source, const Numbers& numbers) {
  const Json& percent = source.get(numbers.name("AverageUtilization"));
  Json out = Json::object({{"name", source.get("name").text()}});
  out.set(numbers.place, amounts_json(numbers, percent.is_null() ? "AverageValue" : "Utilization",
                                      Json(), source.get(numbers.name("AverageValue")), percent));
  put_set(out, "container", source.get("container"));
  return out;
}

Json pods_from_v1(const Json& source, const Numbers& numbers) {
  Json out = Json::object({{"metric", identifier_json(source, "selector")}});
  out.set(numbers.place,
          amounts_json(numbers, "AverageValue", Json(), source.get(numbers.name("AverageValue"))));
  return out;
}

Json object_from_v1(const Json& source, const Numbers& numbers) {
  const Json& average = source.get("averageValue");
  Json value = source.get(numbers.name("Value"));
  // v1 cannot leave the value out.
  if (!average.is_null() && value.text() == "0") value = Json();
  Json out = Json::object({{"describedObject", source.get("target")}});
  out.set(numbers.place,
          amounts_json(numbers, average.is_null() ? "Value" : "AverageValue", value, average));
  out.set("metric", identifier_json(source, "selector"));
  return out;
}

Json external_from_v1(const Json& source, const Numbers& numbers) {
  const Json& average = source.get(numbers.name("AverageValue"));
  Json value = source.get(numbers.name("Value"));
  if (numbers.is_status() && !average.is_null() && value.text() == "0") value = Json();
  Json out = Json::object({{"metric", identifier_json(source, "metricSelector")}});
  out.set(numbers.place,
          amounts_json(numbers, value.is_null() ? "AverageValue" : "Value", value, average));
  return out;
}

Json metric_from_v1(const Json& metric, const Numbers& numbers) {
  Json out = Json::object({{"type", metric.get("type").text()}});
  const auto move = [&](std::string_view member, Json (*from_v1)(const Json&, const Numbers&)) {
    const Json& source = metric.get(member);
    if (!source.is_null()) out.set(member, from_v1(source, numbers));
  };
  move("object", object_from_v1);
  move("pods", pods_from_v1);
  move("resource", resource_from_v1);
  move("containerResource", resource_from_v1);
  move("external", external_from_v1);
  return out;
}

/// The members of scaling rules and policies, by Go's names for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRuleNames = {
    {{"StabilizationWindowSeconds", "stabilizationWindowSeconds"},
     {"SelectPolicy", "selectPolicy"},
     {"Policies", "policies"},
     {"Tolerance", "tolerance"}}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kPolicyNames = {
    {{"Type", "type"}, {"Value", "value"}, {"PeriodSeconds", "periodSeconds"}}};

Json rules_to_go(const Json& rules) {
  if (rules.is_null()) return {};
  Json out = Json::object();
  for (const auto& [go, name] : kRuleNames) out.set(go, rules.get(name));
  if (Json* policies = out.find("Policies"); policies != nullptr && policies->is_array()) {
    for (Json& each : policies->make_array()) {
      Json policy = Json::object();
      for (const auto& [go, name] : kPolicyNames) policy.set(go, each.get(name));
      each = std::move(policy);
    }
  }
  return out;
}

/// Go's decoder takes names in any case, so both spellings are fine.
const Json& go_member(const Json& object, std::string_view go, std::string_view name) {
  const Json* found = object.find(go);
  return found != nullptr ? *found : object.get(name);
}

Json rules_from_go(const Json& rules) {
  Json out = Json::object();
  for (const auto& [go, name] : kRuleNames) put_set(out, name, go_member(rules, go, name));
  if (Json* policies = out.find("policies"); policies != nullptr) {
    for (Json& each : policies->make_array()) {
      Json policy = Json::object();
      for (const auto& [go, name] : kPolicyNames) put_set(policy, name, go_member(each, go, name));
      each = std::move(policy);
    }
  }
  return out;
}

/// The value of an annotation; null for a missing or malformed one.
Json annotation_json(const Json& autoscaler, std::string_view key, Json::Kind kind) {
  const Json* text = autoscaler.at({"metadata", "annotations", key});
  if (text == nullptr) return {};
  Result<Json> json = parse_json(text->text());
  return json && json->kind() == kind ? std::move(*json) : Json();
}

void annotate(Json& autoscaler, std::string_view key, const Json& value) {
  autoscaler["metadata"]["annotations"].set(key, to_text(value));
}

Json all_metrics(const Json::Items& metrics, const Numbers& numbers,
                 Json (*convert)(const Json&, const Numbers&)) {
  Json out = Json::array();
  for (const Json& each : metrics) out.push_back(convert(each, numbers));
  return out;
}

void spec_to_v1(Json& autoscaler, Json& spec) {
  Json others = Json::array();
  Json percent;
  for (const Json& each : spec.get("metrics").items()) {
    if (!is_cpu_percent(each)) {
      others.push_back(metric_to_v1(each, kSpecNumbers));
    } else if (percent.is_null()) {
      percent = value_at(each, {"resource", "target", "averageUtilization"});
    }
  }
  const Json behavior = spec.get("behavior");
  spec.erase("metrics");
  spec.erase("behavior");
  put_set(spec, "targetCPUUtilizationPercentage", percent);
  if (others.size() > 0) annotate(autoscaler, kMetricsKey, others);
  if (behavior.is_null()) return;
  annotate(autoscaler, kBehaviorKey,
           Json::object({{"ScaleUp", rules_to_go(behavior.get("scaleUp"))},
                         {"ScaleDown", rules_to_go(behavior.get("scaleDown"))}}));
}

void status_to_v1(Json& autoscaler, Json& status) {
  const Json::Items metrics = status.get("currentMetrics").items();
  const Json conditions = status.get("conditions");
  Json percent;
  for (const Json& each : metrics) {
    if (each.get("type").text() != "Resource" || each.text_at({"resource", "name"}) != "cpu") {
      continue;
    }
    const Json& own = value_at(each, {"resource", "current", "averageUtilization"});
    if (!own.is_null()) percent = own;
  }
  status.erase("currentMetrics");
  status.erase("conditions");
  if (!status.contains("currentReplicas")) status.set("currentReplicas", 0);
  if (!status.contains("desiredReplicas")) status.set("desiredReplicas", 0);
  put_set(status, "currentCPUUtilizationPercentage", percent);
  if (!metrics.empty()) {
    annotate(autoscaler, kCurrentKey, all_metrics(metrics, kStatusNumbers, metric_to_v1));
  }
  if (conditions.size() > 0) annotate(autoscaler, kConditionsKey, conditions);
}

void spec_to_v2(const Json& autoscaler, Json& spec) {
  const Json others = annotation_json(autoscaler, kMetricsKey, Json::Kind::kArray);
  Json metrics = all_metrics(others.items(), kSpecNumbers, metric_from_v1);
  const Json percent = spec.get("targetCPUUtilizationPercentage");
  if (!percent.is_null()) metrics.push_back(cpu_metric(percent));
  if (metrics.size() == 0) metrics.push_back(cpu_metric(kAutoscalerCpuPercent));
  spec.erase("targetCPUUtilizationPercentage");
  spec.set("metrics", std::move(metrics));
  const Json rules = annotation_json(autoscaler, kBehaviorKey, Json::Kind::kObject);
  Json behavior = Json::object();
  for (const auto& [go, name] :
       {std::pair("ScaleUp", "scaleUp"), std::pair("ScaleDown", "scaleDown")}) {
    const Json& direction = go_member(rules, go, name);
    if (direction.is_object()) behavior.set(name, rules_from_go(direction));
  }
  if (behavior.size() > 0) spec.set("behavior", std::move(behavior));
}

void status_to_v2(const Json& autoscaler, Json& status) {
  status.erase("currentCPUUtilizationPercentage");
  if (status.get("currentReplicas").integer_or(0) == 0) status.erase("currentReplicas");
  const Json current = annotation_json(autoscaler, kCurrentKey, Json::Kind::kArray);
  const Json conditions = annotation_json(autoscaler, kConditionsKey, Json::Kind::kArray);
  if (!status.contains("desiredReplicas")) status.set("desiredReplicas", 0);
  status.set("currentMetrics", current.is_null()
                                   ? Json()
                                   : all_metrics(current.items(), kStatusNumbers, metric_from_v1));
  if (conditions.size() > 0) status.set("conditions", conditions);
}

}  // namespace

void autoscaler_to_v1(Json& autoscaler) {
  drop_autoscaler_annotations(autoscaler);
  if (Json* spec = autoscaler.find("spec")) {
    Json moved = std::move(*spec);
    spec_to_v1(autoscaler, moved);
    autoscaler.set("spec", std::move(moved));
  }
  if (Json* status = autoscaler.find("status")) {
    Json moved = std::move(*status);
    status_to_v1(autoscaler, moved);
    autoscaler.set("status", std::move(moved));
  }
}

void autoscaler_to_v2(Json& autoscaler) {
  if (Json* spec = autoscaler.find("spec")) spec_to_v2(autoscaler, *spec);
  if (Json* status = autoscaler.find("status")) status_to_v2(autoscaler, *status);
  drop_autoscaler_annotations(autoscaler);
}

void drop_autoscaler_annotations(Json& autoscaler) {
  Json* annotations = autoscaler.at({"metadata", "annotations"});
  if (annotations == nullptr || !annotations->is_object()) return;
  bool any = false;
  for (const std::string_view key : kKeys) any = annotations->erase(key) || any;
  if (any && annotations->size() == 0) autoscaler["metadata"].erase("annotations");
}

void keep_autoscaler_annotations(Json& autoscaler, const Json& old, AutoscalerPart part) {
  const bool spec = part == AutoscalerPart::kSpec;
  for (const std::string_view key :
       {spec ? kMetricsKey : kCurrentKey, spec ? kBehaviorKey : kConditionsKey}) {
    const Json* kept = old.at({"metadata", "annotations", key});
    if (kept != nullptr) {
      autoscaler["metadata"]["annotations"].set(key, *kept);
    } else if (Json* annotations = autoscaler.at({"metadata", "annotations"})) {
      annotations->erase(key);
    }
  }
}

Json cpu_metric(const Json& percent) {
  return Json::object(
      {{"type", "Resource"},
       {"resource", Json::object({{"name", "cpu"},
                                  {"target", Json::object({{"type", "Utilization"},
                                                           {"averageUtilization", percent}})}})}});
}

}  // namespace davit::sandbox
