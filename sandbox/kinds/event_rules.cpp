// k8s: pkg/apis/core/validation/events.go and pkg/registry/core/event.
#include "sandbox/kinds/event_rules.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"

namespace davit::sandbox {

namespace {

constexpr std::size_t kTextBytesMax = 128;
constexpr std::size_t kNoteBytesMax = 1024;

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

const std::string& text_of(const Json& event, std::string_view field) {
  return event.get(field).text();
}

bool has_time(const Json& event, std::string_view field) { return !text_of(event, field).empty(); }

void check_length(const Json& event, std::string_view field, std::size_t max, FieldErrors& errors) {
  if (text_of(event, field).size() <= max) return;
  errors.push_back(field_invalid(std::string(field), "",
                                 "can have at most " + std::to_string(max) + " characters"));
}

/// What an event with an eventTime must say, whichever way it came.
void check_new_style(const Json& event, std::string_view controller_field, FieldErrors& errors) {
  const std::string& controller = text_of(event, "reportingComponent");
  const FieldPath controller_path(controller_field);
  if (controller.empty()) errors.push_back(field_required(controller_path.text()));
  add_invalid(check_qualified_name(controller), controller, controller_path, errors);
  for (const char* field : {"reportingInstance", "action", "reason"}) {
    if (text_of(event, field).empty()) errors.push_back(field_required(field));
    check_length(event, field, kTextBytesMax, errors);
  }
  check_length(event, "message", kNoteBytesMax, errors);
}

/// k8s: legacyValidateEvent. Objects without a namespace have their events in "default".
void check_event(const Json& event, std::string_view controller_field, FieldErrors& errors) {
  const std::string& ns = event.text_at({"metadata", "namespace"});
  const std::string& about = event.text_at({"involvedObject", "namespace"});
  const bool cluster_wide = about.empty() && (ns == "default" || ns == "kube-system");
  const bool new_style = has_time(event, "eventTime");
  const bool fits = cluster_wide || (new_style ? !about.empty() : about == ns);
  if (!fits) {
    errors.push_back(
        field_invalid("involvedObject.namespace", about, "does not match event.namespace"));
  }
  if (new_style) check_new_style(event, controller_field, errors);
}

void check_series(const Json& event, FieldErrors& errors) {
  const Json& series = event.get("series");
  if (!series.is_object()) return;
  if (number_at(series, {"count"}) < 2) {
    errors.push_back(field_invalid("series.count", "", "should be at least 2"));
  }
  if (!has_time(series, "lastObservedTime")) {
    errors.push_back(field_required("series.lastObservedTime"));
  }
}

/// The members that only v1's clients set.
void check_no_old_style(const Json& event, FieldErrors& errors) {
  constexpr std::string_view kUnset = "needs to be unset";
  for (const char* field : {"firstTimestamp", "lastTimestamp"}) {
    if (has_time(event, field)) errors.push_back(field_invalid(field, "", kUnset));
  }
  if (number_at(event, {"count"}) != 0) errors.push_back(field_invalid("count", "", kUnset));
  if (!event.get("source").empty()) errors.push_back(field_invalid("source", "", kUnset));
}

/// Pairs for field selectors; objects of both groups' names, as the store has one index for both.
Pairs event_fields(const Json& event) {
  Pairs out;
  for (const char* field :
       {"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"}) {
    const std::string& value = event.text_at({"involvedObject", field});
    out.emplace_back(std::string("involvedObject.") + field, value);
    out.emplace_back(std::string("regarding.") + field, value);
  }
  const std::string& reporter = text_of(event, "reportingComponent");
  out.emplace_back("reason", text_of(event, "reason"));
  out.emplace_back("reportingComponent", reporter);
  out.emplace_back("reportingController", reporter);
  out.emplace_back("source", text_or(event, {"source", "component"}, reporter));
  out.emplace_back("type", text_of(event, "type"));
  return out;
}

bool is_object_field(std::string_view field, std::string_view prefix) {
  constexpr std::array kParts = std::to_array<std::string_view>(
      {"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"});
  if (!field.starts_with(prefix)) return false;
  return std::find(kParts.begin(), kParts.end(), field.substr(prefix.size())) != kParts.end();
}

class CoreEventRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  [[nodiscard]] Pairs fields(const Json& object) const override { return event_fields(object); }
  [[nodiscard]] bool knows_field(std::string_view field) const override {
    return is_object_field(field, "involvedObject.") || field == "reason" ||
           field == "reportingComponent" || field == "source" || field == "type";
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_event(object, "reportingComponent", errors);
  }
};

class EventRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  [[nodiscard]] bool converts() const override { return true; }
  void to_stored(Json& object) const override { event_to_core(object); }
  void from_stored(Json& object) const override { event_from_core(object); }

  [[nodiscard]] Pairs fields(const Json& object) const override { return event_fields(object); }
  [[nodiscard]] bool knows_field(std::string_view field) const override {
    return is_object_field(field, "regarding.") || field == "reason" ||
           field == "reportingController" || field == "type";
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_event(object, "reportingController", errors);
    check_series(object, errors);
    if (!has_time(object, "eventTime")) errors.push_back(field_required("eventTime"));
    const std::string& type = text_of(object, "type");
    if (type != "Normal" && type != "Warning") {
      errors.push_back(field_invalid("type", "", "has invalid value: " + type));
    }
    check_no_old_style(object, errors);
  }

  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_event(object, "reportingController", errors);
    if (object.get("series") != old.get("series")) check_series(object, errors);
    for (const Renamed& each : kMembers) {
      if (each.core == "metadata" || each.core == "series" || each.core == "kind" ||
          each.core == "apiVersion") {
        continue;
      }
      const Json& now = object.get(each.core);
      const Json& before = old.get(each.core);
      if (now.empty() && before.empty()) continue;
      check_immutable(object, old, each.core, FieldPath(), errors);
    }
  }
};

}  // namespace

void event_to_core(Json& event) {
  Json out = Json::object();
  for (const Renamed& each : kMembers) put(out, each.core, each.in_core, event.get(each.group));
  out.set("apiVersion", "v1");
  event = std::move(out);
}

void event_from_core(Json& event) {
  Json out = Json::object();
  for (const Renamed& each : kMembers) put(out, each.group, each.in_group, event.get(each.core));
  out.set("apiVersion", "events.k8s.io/v1");
  event = std::move(out);
}

std::shared_ptr<const KindRules> core_event_rules(const KindFacts& facts) {
  return std::make_shared<CoreEventRules>(facts);
}

std::shared_ptr<const KindRules> event_rules(const KindFacts& facts) {
  return std::make_shared<EventRules>(facts);
}

}  // namespace davit::sandbox
