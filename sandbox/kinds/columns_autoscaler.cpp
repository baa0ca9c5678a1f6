#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/conversion.hpp"

namespace davit::sandbox {
namespace {

/// Metrics shown before "+ N more...".
constexpr std::size_t kMetricsShown = 2;

struct MetricType {
  std::string_view type;
  std::string_view member;
  enum class Target : std::uint8_t { kValue, kResource } target;
};

constexpr MetricType kMetricTypes[] = {
    {"External", "external", MetricType::Target::kValue},
    {"Pods", "pods", MetricType::Target::kValue},
    {"Object", "object", MetricType::Target::kValue},
    {"Resource", "resource", MetricType::Target::kResource},
    {"ContainerResource", "containerResource", MetricType::Target::kResource},
};

std::string percent(const Json& number, std::string_view otherwise) {
  return number.text().empty() ? std::string(otherwise) : number.text() + '%';
}

/// `current` may be a null: nothing measured yet.
std::string metric_text(const MetricType& type, const Json& spec, const Json& current) {
  const Json& target = spec.get("target");
  const std::string& average = target.get("averageValue").text();
  if (type.target == MetricType::Target::kResource) {
    const std::string name = spec.get("name").text() + ": ";
    if (!average.empty()) {
      return name + text_or(current, {"averageValue"}, "<unknown>") + '/' + average;
    }
    return name + percent(current.get("averageUtilization"), "<unknown>") + '/' +
           percent(target.get("averageUtilization"), "<auto>");
  }
  if (average.empty()) {
    return text_or(current, {"value"}, "<unknown>") + '/' + target.get("value").text();
  }
  return text_or(current, {"averageValue"}, "<unknown>") + '/' + average +
         (type.type == "Pods" ? "" : " (avg)");
}

std::string one_metric(const Json& spec, const Json& status) {
  for (const MetricType& each : kMetricTypes) {
    if (spec.get("type").text() != each.type) continue;
    return metric_text(each, spec.get(each.member), value_at(status, {each.member, "current"}));
  }
  return "<unknown type>";
}

std::string metrics_text(const Json& autoscaler) {
  const Json::Items& specs = value_at(autoscaler, {"spec", "metrics"}).items();
  const Json::Items& statuses = value_at(autoscaler, {"status", "currentMetrics"}).items();
  if (specs.empty()) return "<none>";
  std::vector<std::string> out;
  for (std::size_t i = 0; i < specs.size() && i < kMetricsShown; ++i) {
    out.push_back(one_metric(specs[i], i < statuses.size() ? statuses[i] : Json()));
  }
  std::string text = join_texts(out, ", ");
  if (specs.size() > kMetricsShown) {
    text += " + " + std::to_string(specs.size() - kMetricsShown) + " more...";
  }
  return text;
}

}  // namespace

Json::Items autoscaler_cells(const Json& autoscaler, WallTime now) {
  if (autoscaler.get("apiVersion").text() == "autoscaling/v1") {
    Json current = autoscaler;
    autoscaler_to_v2(current);
    current.set("apiVersion", "autoscaling/v2");
    return autoscaler_cells(current, now);
  }
  return {name_of(autoscaler),
          autoscaler.text_at({"spec", "scaleTargetRef", "kind"}) + '/' +
              autoscaler.text_at({"spec", "scaleTargetRef", "name"}),
          metrics_text(autoscaler),
          text_or(autoscaler, {"spec", "minReplicas"}, "<unset>"),
          number_at(autoscaler, {"spec", "maxReplicas"}),
          number_at(autoscaler, {"status", "currentReplicas"}),
          age_of(autoscaler, now)};
}

}  // namespace davit::sandbox
