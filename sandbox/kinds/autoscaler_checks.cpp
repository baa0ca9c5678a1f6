#include "sandbox/kinds/autoscaler_checks.hpp"

#include <algorithm>
#include <array>
#include <davit/kube/quantity.hpp>
#include <optional>
#include <string>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::int64_t kWindowSecondsMax = 3600;
constexpr std::int64_t kPolicySecondsMax = 1800;

/// Whether an apiVersion need be one, and have a group.
enum class VersionRule : std::uint8_t { kGroup, kSyntax, kNone };

void check_api_version(const std::string& text, VersionRule rule, const FieldPath& path,
                       FieldErrors& errors) {
  if (rule == VersionRule::kNone) return;
  const auto slashes = std::ranges::count(text, '/');
  if (slashes > 1) {
    errors.push_back(
        field_invalid(path.text("apiVersion"), text, "unexpected GroupVersion string: " + text));
  } else if (rule == VersionRule::kGroup && (slashes == 0 || text.starts_with('/'))) {
    errors.push_back(
        field_invalid(path.text("apiVersion"), text, "apiVersion must specify API group"));
  }
}

void check_reference(const Json& reference, VersionRule rule, const FieldPath& path,
                     FieldErrors& errors) {
  for (const char* field : {"kind", "name"}) {
    const std::string& text = reference.get(field).text();
    if (!require_text(reference, field, path, errors)) continue;
    add_invalid(check_path_segment(text), text, path.child(field), errors);
  }
  check_api_version(reference.get("apiVersion").text(), rule, path, errors);
}

VersionRule target_version_rule(const Json& reference, const Json& old) {
  const auto same = [&](const char* field) {
    return reference.get(field).text() == old.get(field).text();
  };
  if (!old.is_null() && same("kind") && same("apiVersion")) return VersionRule::kNone;
  return reference.get("kind").text() == "ReplicationController" ? VersionRule::kSyntax
                                                                 : VersionRule::kGroup;
}

bool is_positive(const Json& quantity) {
  const std::optional<Quantity> value = Quantity::parse(quantity.text());
  return value && *value > Quantity();
}

void check_target(const Json& target, const FieldPath& path, FieldErrors& errors) {
  constexpr std::array<std::string_view, 3> kTypes = {"Utilization", "Value", "AverageValue"};
  const std::string& type = target.get("type").text();
  if (type.empty()) {
    errors.push_back(field_required(path.text("type"), "must specify a metric target type"));
  }
  if (std::ranges::find(kTypes, type) == kTypes.end()) {
    errors.push_back(field_invalid(path.text("type"), type,
                                   "must be either Utilization, Value, or AverageValue"));
  }
  for (const char* field : {"value", "averageValue"}) {
    if (!is_set(target, field) || is_positive(target.get(field))) continue;
    errors.push_back(field_invalid(path.text(field), target.get(field).text(), "must be positive"));
  }
  const Json& percent = target.get("averageUtilization");
  if (!percent.is_null() && percent.integer_or(0) < 1) {
    errors.push_back(
        field_invalid(path.text("averageUtilization"), percent, "must be greater than 0"));
  }
}

void check_identifier(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const FieldPath metric = path.child("metric");
  const std::string& name = source.text_at({"metric", "name"});
  if (name.empty()) {
    errors.push_back(field_required(metric.text("name"), "must specify a metric name"));
  } else {
    add_invalid(check_path_segment(name), name, metric.child("name"), errors);
  }
}

void check_object_source(const Json& source, const FieldPath& path, FieldErrors& errors) {
  check_reference(source.get("describedObject"), VersionRule::kSyntax,
                  path.child("describedObject"), errors);
  check_identifier(source, path, errors);
  const FieldPath target = path.child("target");
  const Json& wanted = source.get("target");
  check_target(wanted, target, errors);
  if (is_set(wanted, "value") || is_set(wanted, "averageValue")) return;
  errors.push_back(field_required(target.text("averageValue"),
                                  "must set either a target value or averageValue"));
}

void check_external_source(const Json& source, const FieldPath& path, FieldErrors& errors) {
  check_identifier(source, path, errors);
  const FieldPath target = path.child("target");
  const Json& wanted = source.get("target");
  check_target(wanted, target, errors);
  const bool value = is_set(wanted, "value");
  const bool average = is_set(wanted, "averageValue");
  if (!value && !average) {
    errors.push_back(
        field_required(target.text("averageValue"),
                       "must set either a target value for metric or a per-pod target"));
  }
  if (value && average) {
    errors.push_back(field_forbidden(
        target.text("value"), "may not set both a target value for metric and a per-pod target"));
  }
}

void check_pods_source(const Json& source, const FieldPath& path, FieldErrors& errors) {
  check_identifier(source, path, errors);
  const FieldPath target = path.child("target");
  check_target(source.get("target"), target, errors);
  if (is_set(source.get("target"), "averageValue")) return;
  errors.push_back(
      field_required(target.text("averageValue"), "must specify a positive target averageValue"));
}

/// The target of a resource, of pods or of one container in each.
void check_resource_target(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const FieldPath target = path.child("target");
  const Json& wanted = source.get("target");
  check_target(wanted, target, errors);
  const bool percent = is_set(wanted, "averageUtilization");
  const bool average = is_set(wanted, "averageValue");
  if (!percent && !average) {
    errors.push_back(field_required(target.text("averageUtilization"),
                                    "must set either a target raw value or a target utilization"));
  }
  if (percent && average) {
    errors.push_back(
        field_forbidden(target.text("averageValue"),
                        "may not set both a target raw value and a target utilization"));
  }
}

bool require_resource(const Json& source, const FieldPath& path, FieldErrors& errors) {
  if (!source.get("name").text().empty()) return true;
  errors.push_back(field_required(path.text("name"), "must specify a resource name"));
  return false;
}

void check_resource_source(const Json& source, const FieldPath& path, FieldErrors& errors) {
  require_resource(source, path, errors);
  check_resource_target(source, path, errors);
}

void check_container_source(const Json& source, const FieldPath& path, FieldErrors& errors) {
  if (require_resource(source, path, errors)) {
    check_resource_name(source.get("name").text(), path.child("name"), errors);
  }
  const std::string& container = source.get("container").text();
  if (container.empty()) {
    errors.push_back(field_required(path.text("container"), "must specify a container"));
  } else {
    add_invalid(check_dns_label(container), container, path.child("container"), errors);
  }
  check_resource_target(source, path, errors);
}

struct MetricSource {
  std::string_view type;
  std::string_view member;
  void (*check)(const Json& source, const FieldPath& path, FieldErrors& errors);
};
/// The members in upstream's order.
constexpr MetricSource kSources[] = {
    {"Object", "object", check_object_source},
    {"External", "external", check_external_source},
    {"Pods", "pods", check_pods_source},
    {"Resource", "resource", check_resource_source},
    {"ContainerResource", "containerResource", check_container_source}};

void check_metric(const Json& metric, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = metric.get("type").text();
  const auto* expected = std::ranges::find(kSources, type, &MetricSource::type);
  if (type.empty()) {
    errors.push_back(field_required(path.text("type"), "must specify a metric source type"));
  }
  if (expected == std::end(kSources)) {
    errors.push_back(field_not_supported(
        path.text("type"), type, {"ContainerResource", "External", "Object", "Pods", "Resource"}));
  }
  int present = 0;
  for (const MetricSource& each : kSources) {
    if (!is_set(metric, each.member)) continue;
    if (++present == 1) {
      each.check(metric.get(each.member), path.child(each.member), errors);
    }
  }
  if (expected != std::end(kSources) && !is_set(metric, expected->member)) {
    errors.push_back(field_required(path.text(expected->member),
                                    "must populate information for the given metric source"));
  }
  if (present == 1) return;
  for (const MetricSource& each : kSources) {
    if (!is_set(metric, each.member) || each.type == type) continue;
    errors.push_back(
        field_forbidden(path.text(each.member), "must populate the given metric source only"));
  }
}

void check_metrics(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json::Items& metrics = spec.get("metrics").items();
  bool from_zero = false;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    check_metric(metrics[i], path.index(i), errors);
    const std::string& type = metrics[i].get("type").text();
    from_zero = from_zero || type == "Object" || type == "External";
  }
  if (from_zero || spec.get("minReplicas").integer_or(1) != 0) return;
  errors.push_back(field_forbidden(path.text(),
                                   "must specify at least one Object or External metric to support "
                                   "scaling to zero replicas"));
}

/// A number of seconds within its limits.
void check_seconds(const Json& value, std::int64_t least, std::int64_t most, std::string field,
                   FieldErrors& errors) {
  if (value.is_null()) return;
  const std::int64_t number = value.integer_or(0);
  if (number < least) {
    errors.push_back(field_invalid(
        std::move(field), value,
        least == 0 ? "must be greater than or equal to zero" : "must be greater than zero"));
  } else if (number > most) {
    errors.push_back(field_invalid(std::move(field), value,
                                   "must be less than or equal to " + std::to_string(most)));
  }
}

void check_policy(const Json& policy, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = policy.get("type").text();
  if (type != "Pods" && type != "Percent") {
    errors.push_back(field_not_supported(path.text("type"), type, {"Percent", "Pods"}));
  }
  const std::int64_t value = policy.get("value").integer_or(0);
  if (value <= 0) {
    errors.push_back(field_invalid(path.text("value"), value, "must be greater than zero"));
  }
  check_seconds(Json(policy.get("periodSeconds").integer_or(0)), 1, kPolicySecondsMax,
                path.text("periodSeconds"), errors);
}

void check_scaling(const Json& rules, const FieldPath& path, FieldErrors& errors) {
  if (rules.is_null()) return;
  check_seconds(rules.get("stabilizationWindowSeconds"), 0, kWindowSecondsMax,
                path.text("stabilizationWindowSeconds"), errors);
  const std::string& select = rules.get("selectPolicy").text();
  if (is_set(rules, "selectPolicy") && select != "Max" && select != "Min" && select != "Disabled") {
    errors.push_back(
        field_not_supported(path.text("selectPolicy"), select, {"Disabled", "Max", "Min"}));
  }
  const FieldPath policies = path.child("policies");
  const Json::Items& list = rules.get("policies").items();
  if (list.empty()) {
    errors.push_back(field_required(policies.text(), "must specify at least one Policy"));
  }
  for (std::size_t i = 0; i < list.size(); ++i) check_policy(list[i], policies.index(i), errors);
  const std::optional<Quantity> tolerance = Quantity::parse(rules.get("tolerance").text());
  if (tolerance && *tolerance < Quantity()) {
    errors.push_back(
        field_invalid(path.text("tolerance"), rules.get("tolerance").text(), kNotNegative));
  }
}

}  // namespace

void check_autoscaler(const Json& autoscaler, const Json& old, const KindGates& gates,
                      FieldErrors& errors) {
  const Json& spec = autoscaler.get("spec");
  const std::int64_t min = spec.get("minReplicas").integer_or(1);
  const std::int64_t max = spec.get("maxReplicas").integer_or(0);
  // An object that has been written with the feature gate for zero may keep it.
  const Json* old_min = old.at({"spec", "minReplicas"});
  const bool keeps_zero = old_min != nullptr && old_min->integer_or(1) == 0;
  const std::int64_t least = gates.scale_to_zero || keeps_zero ? 0 : 1;
  if (min < least) {
    errors.push_back(field_invalid(kSpec.text("minReplicas"), min,
                                   "must be greater than or equal to " + std::to_string(least)));
  }
  if (max == 0) {
    errors.push_back(field_required(kSpec.text("maxReplicas"), "must be set and greater than 0"));
  } else if (max < 0) {
    errors.push_back(
        field_invalid(kSpec.text("maxReplicas"), max, "must be greater than or equal to 1"));
  }
  if (max < min) {
    errors.push_back(field_invalid(kSpec.text("maxReplicas"), max,
                                   "must be greater than or equal to `minReplicas`"));
  }
  const Json& reference = spec.get("scaleTargetRef");
  check_reference(reference,
                  target_version_rule(reference, value_at(old, {"spec", "scaleTargetRef"})),
                  kSpec.child("scaleTargetRef"), errors);
  check_metrics(spec, kSpec.child("metrics"), errors);
  const FieldPath behavior = kSpec.child("behavior");
  for (const char* direction : {"scaleUp", "scaleDown"}) {
    check_scaling(value_at(spec, {"behavior", direction}), behavior.child(direction), errors);
  }
}

void check_autoscaler_status(const Json& status, FieldErrors& errors) {
  for (const char* field : {"currentReplicas", "desiredReplicas"}) {
    const std::int64_t number = status.get(field).integer_or(0);
    if (number >= 0) continue;
    errors.push_back(field_invalid(FieldPath("status").text(field), number, kNotNegative));
  }
}

}  // namespace davit::sandbox
