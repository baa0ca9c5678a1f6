#include "plugins/podautoscaler/metric_spec.hpp"

#include <algorithm>
#include <array>
#include <davit/json_writer.hpp>
#include <davit/kube/amount.hpp>
#include <utility>

#include "plugins/shared/pods/selector_text.hpp"

namespace davit::podautoscaler {
namespace {

struct SourceFacts {
  std::string_view type;
  std::string_view member;
  std::string_view reason;
};

/// In the order of MetricSource.
constexpr std::array<SourceFacts, 6> kSources = {{
    {"Resource", "resource", "FailedGetResourceMetric"},
    {"ContainerResource", "containerResource", "FailedGetContainerResourceMetric"},
    {"Pods", "pods", "FailedGetPodsMetric"},
    {"Object", "object", "FailedGetObjectMetric"},
    {"External", "external", "FailedGetExternalMetric"},
    {"", "", "InvalidMetricSourceType"},
}};

const SourceFacts& facts_of(MetricSource source) {
  return kSources[static_cast<std::size_t>(source)];
}

MetricSource source_of(std::string_view type) {
  for (std::size_t i = 0; i + 1 < kSources.size(); ++i) {
    if (kSources[i].type == type) return static_cast<MetricSource>(i);
  }
  return MetricSource::kUnknown;
}

}  // namespace

std::optional<std::int64_t> read_milli(Value quantity) {
  const std::optional<Quantity> read = Quantity::read(quantity);
  return read ? std::optional(read->milli()) : std::nullopt;
}

std::string printed_selector(Value selector) {
  return selector.kind() == Kind::kObject ? pods::selector_text(selector) : "nil";
}

bool has_object_or_external(Value metrics) {
  for (const Value each : metrics.elements()) {
    const std::string_view type = each[&Names::type].string();
    if (type == "Object" || type == "External") return true;
  }
  return false;
}

MetricSpec read_metric(Value entry) {
  MetricSpec out;
  out.type = entry[&Names::type].string();
  out.source = source_of(out.type);
  const Value source = entry[facts_of(out.source).member];
  if (out.is_of_resource()) {
    out.name = source[&Names::name].string();
    out.container = source["container"].string();
  } else {
    out.metric = source["metric"];
    out.name = out.metric[&Names::name].string();
    out.described = source["describedObject"];
  }
  const Value target = source["target"];
  out.target_type = target[&Names::type].string();
  out.value = read_milli(target[&Names::value]);
  out.average_value = read_milli(target["averageValue"]);
  if (const std::optional<std::int64_t> percent = target["averageUtilization"].integer()) {
    out.utilization =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(*percent, INT32_MIN, INT32_MAX));
  }
  return out;
}

bool MetricSpec::wants_average() const {
  if (source == MetricSource::kObject) return target_type == "AverageValue" && average_value;
  return average_value.has_value();
}

std::string MetricSpec::title() const {
  const std::string named(name);
  switch (source) {
    case MetricSource::kResource:
      return named +
             (average_value ? " resource" : " resource utilization (percentage of request)");
    case MetricSource::kContainerResource:
      return named + (average_value ? " resource"
                                    : " container resource utilization (percentage of request)");
    case MetricSource::kPods:
      return "pods metric " + named;
    case MetricSource::kObject:
      if (!wants_average()) {
        return std::string(described[&Names::kind].string()) + " metric " + named;
      }
      break;  // Upstream calls it external.
    case MetricSource::kExternal:
    case MetricSource::kUnknown:
      break;
  }
  return "external metric " + named + "(" + printed_selector(metric[&Names::selector]) + ")";
}

std::string_view MetricSpec::failure_reason() const { return facts_of(source).reason; }

std::string MetricSpec::outer_error(std::string_view inner) const {
  const std::string named(name);
  const std::string text(inner);
  switch (source) {
    case MetricSource::kResource:
      return "failed to get " + named + " resource metric value: " + text;
    case MetricSource::kContainerResource:
      return "failed to get " + std::string(container) + " container metric value: " + text;
    case MetricSource::kPods:
      return "failed to get pods metric value: " + text;
    case MetricSource::kObject:
      return "failed to get object metric value: " +
             (wants_average() ? "failed to get " + named + " object metric: " : "") + text;
    case MetricSource::kExternal:
      return "failed to get " + named + " external metric value: failed to get " +
             (wants_average() ? named + " external metric: " : "external metric " + named + ": ") +
             text;
    case MetricSource::kUnknown:
      break;
  }
  return text;
}

std::string MetricSpec::status(const Proposal& proposal) const {
  const bool is_memory = is_of_resource() && name == "memory";
  const std::string amount =
      quantity_text(Quantity::of_milli(proposal.milli),
                    is_memory ? QuantityFormat::kBinary : QuantityFormat::kDecimal);
  const bool is_value =
      (source == MetricSource::kObject || source == MetricSource::kExternal) && !wants_average();
  JsonWriter out;
  out.begin_object().member("type", type).key(facts_of(source).member).begin_object();
  if (is_of_resource()) out.member("name", name);
  if (source == MetricSource::kContainerResource) out.member("container", container);
  if (!is_of_resource()) out.member("metric", metric);
  out.key("current").begin_object();
  if (proposal.utilization) out.member("averageUtilization", std::int64_t{*proposal.utilization});
  out.member(is_value ? "value" : "averageValue", amount).end_object();
  out.member("describedObject", described);
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::podautoscaler
