#include "sandbox/kinds/conversion.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "sandbox/kinds/columns_cells.hpp"

namespace davit::sandbox {

namespace {

/// A member under its two names, and what v1 or events.k8s.io/v1 write when it is empty.
struct Renamed {
  std::string_view core;
  std::string_view group;
  enum class Blank : std::uint8_t { kOmit, kNull, kText, kObject } in_core, in_group;
};

using enum Renamed::Blank;

// In the order of the fields in v1.
constexpr std::array kMembers = std::to_array<Renamed>({
    {"kind", "kind", kOmit, kOmit},
    {"apiVersion", "apiVersion", kOmit, kOmit},
    {"metadata", "metadata", kObject, kObject},
    {"involvedObject", "regarding", kObject, kObject},
    {"reason", "reason", kOmit, kOmit},
    {"message", "note", kOmit, kOmit},
    {"source", "deprecatedSource", kObject, kObject},
    {"firstTimestamp", "deprecatedFirstTimestamp", kNull, kNull},
    {"lastTimestamp", "deprecatedLastTimestamp", kNull, kNull},
    {"count", "deprecatedCount", kOmit, kOmit},
    {"type", "type", kOmit, kOmit},
    {"eventTime", "eventTime", kNull, kNull},
    {"series", "series", kOmit, kOmit},
    {"action", "action", kOmit, kOmit},
    {"related", "related", kOmit, kOmit},
    {"reportingComponent", "reportingController", kText, kOmit},
    {"reportingInstance", "reportingInstance", kText, kOmit},
});

void put(Json& out, std::string_view name, Renamed::Blank blank, const Json& value) {
  if (!value.empty()) {
    out.set(name, value);
    return;
  }
  switch (blank) {
    case kOmit:
      break;
    case kNull:
      out.set(name, Json());
      break;
    case kText:
      out.set(name, "");
      break;
    case kObject:
      out.set(name, Json::object());
      break;
  }
}

/// The index of the metric that autoscaling/v1 has a field for; size() when there is none.
std::size_t cpu_index(const Json::Items& metrics) {
  std::size_t i = 0;
  while (i < metrics.size() && (metrics[i].text_at({"resource", "name"}) != "cpu" ||
                                metrics[i].get("type").text() != "Resource")) {
    ++i;
  }
  return i;
}

/// Renames in the order of the table; what is in no table is dropped.
enum class Direction : std::uint8_t { kToCore, kFromCore };

Json renamed(const Json& event, Direction direction) {
  Json out = Json::object();
  for (const Renamed& each : kMembers) {
    if (direction == Direction::kToCore) {
      put(out, each.core, each.in_core, event.get(each.group));
    } else {
      put(out, each.group, each.in_group, event.get(each.core));
    }
  }
  return out;
}

}  // namespace

void event_to_core(Json& event) { event = renamed(event, Direction::kToCore); }

void event_from_core(Json& event) { event = renamed(event, Direction::kFromCore); }

void autoscaler_to_v1(Json& autoscaler) {
  if (Json* spec = autoscaler.find("spec")) {
    const Json::Items metrics = spec->get("metrics").items();
    const std::size_t cpu = cpu_index(metrics);
    if (cpu < metrics.size()) {
      spec->set("targetCPUUtilizationPercentage",
                value_at(metrics[cpu], {"resource", "target", "averageUtilization"}));
    }
    spec->erase("metrics");
    spec->erase("behavior");
  }
  Json* status = autoscaler.find("status");
  if (status == nullptr) return;
  const Json::Items metrics = status->get("currentMetrics").items();
  const std::size_t cpu = cpu_index(metrics);
  if (cpu < metrics.size()) {
    status->set("currentCPUUtilizationPercentage",
                value_at(metrics[cpu], {"resource", "current", "averageUtilization"}));
  }
  status->erase("currentMetrics");
  status->erase("conditions");
}

void autoscaler_to_v2(Json& autoscaler) {
  if (Json* spec = autoscaler.find("spec")) {
    const Json percent = spec->get("targetCPUUtilizationPercentage");
    if (!percent.is_null()) spec->set("metrics", Json::array({cpu_metric(percent)}));
    spec->erase("targetCPUUtilizationPercentage");
  }
  if (Json* status = autoscaler.find("status")) {
    status->erase("currentCPUUtilizationPercentage");
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
