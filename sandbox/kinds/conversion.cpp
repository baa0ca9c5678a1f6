#include "sandbox/kinds/conversion.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

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

}  // namespace davit::sandbox
