// k8s: pkg/apis/core/validation/events.go and pkg/registry/core/event.
#include "sandbox/kinds/event_rules.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/conversion.hpp"

namespace davit::sandbox {

namespace {

constexpr std::size_t kTextBytesMax = 128;
constexpr std::size_t kNoteBytesMax = 1024;

const std::string& text_of(const Json& event, std::string_view field) {
  return event.get(field).text();
}

bool has_time(const Json& event, std::string_view field) { return !text_of(event, field).empty(); }

void check_length(const Json& event, std::string_view field, std::size_t max, FieldErrors& errors) {
  if (text_of(event, field).size() <= max) return;
  errors.push_back(field_invalid(std::string(field), "",
                                 "can have at most " + std::to_string(max) + " characters"));
}

/// Checks what an event with an eventTime must contain, in either group.
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

/// The fields of the involved object that selectors of both groups may use.
Pairs object_fields(const Json& object, const std::string& prefix) {
  Pairs out;
  for (const char* field :
       {"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"}) {
    out.emplace_back(prefix + field, object.get(field).text());
  }
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

  [[nodiscard]] Pairs fields(const Json& object) const override {
    const std::string& reporter = text_of(object, "reportingComponent");
    Pairs out = object_fields(object.get("involvedObject"), "involvedObject.");
    out.emplace_back("reason", text_of(object, "reason"));
    out.emplace_back("reportingComponent", reporter);
    out.emplace_back("source", text_or(object, {"source", "component"}, reporter));
    out.emplace_back("type", text_of(object, "type"));
    return out;
  }
  [[nodiscard]] bool knows_field(std::string_view field) const override {
    return is_object_field(field, "involvedObject.") || field == "reason" ||
           field == "reportingComponent" || field == "source" || field == "type";
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_event(object, "reportingComponent", errors);
  }
};

/// Checked in v1's form, whose names upstream's messages have, too.
class EventRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  [[nodiscard]] Pairs fields(const Json& object) const override {
    Pairs out = object_fields(object.get("regarding"), "regarding.");
    out.emplace_back("reason", text_of(object, "reason"));
    out.emplace_back("reportingController", text_of(object, "reportingController"));
    out.emplace_back("type", text_of(object, "type"));
    return out;
  }
  [[nodiscard]] bool knows_field(std::string_view field) const override {
    return is_object_field(field, "regarding.") || field == "reason" ||
           field == "reportingController" || field == "type";
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json event = in_core_form(object);
    check_event(event, "reportingController", errors);
    check_series(event, errors);
    if (!has_time(event, "eventTime")) errors.push_back(field_required("eventTime"));
    const std::string& type = text_of(event, "type");
    if (type != "Normal" && type != "Warning") {
      errors.push_back(field_invalid("type", "", "has invalid value: " + type));
    }
    check_no_old_style(event, errors);
  }

  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    const Json event = in_core_form(object);
    const Json before = in_core_form(old);
    check_event(event, "reportingController", errors);
    if (event.get("series") != before.get("series")) check_series(event, errors);
    for (const std::string_view field :
         {"involvedObject", "reason", "message", "source", "firstTimestamp", "lastTimestamp",
          "count", "type", "eventTime", "action", "related", "reportingComponent",
          "reportingInstance"}) {
      if (event.get(field).empty() && before.get(field).empty()) continue;
      check_immutable(event, before, field, FieldPath(), errors);
    }
  }

 private:
  static Json in_core_form(Json event) {
    event_to_core(event);
    return event;
  }
};

}  // namespace

std::shared_ptr<const KindRules> core_event_rules(const KindFacts& facts) {
  return std::make_shared<CoreEventRules>(facts);
}

std::shared_ptr<const KindRules> event_rules(const KindFacts& facts) {
  return std::make_shared<EventRules>(facts);
}

}  // namespace davit::sandbox
