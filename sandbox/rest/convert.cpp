#include "sandbox/rest/convert.hpp"

#include <array>
#include <initializer_list>
#include <utility>

namespace davit::sandbox {

namespace {

struct Rename {
  std::string_view core;
  std::string_view events;
};

/// Members of an Event by their names in v1 and in events.k8s.io/v1
/// (k8s: pkg/apis/events/v1/conversion.go).
constexpr std::array<Rename, 6> kEventNames = {{
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
}};

std::string_view other_event_name(std::string_view key, std::string_view to_group) {
  for (const Rename& each : kEventNames) {
    if (to_group.empty() && key == each.events) return each.core;
    if (!to_group.empty() && key == each.core) return each.events;
  }
  if (to_group.empty() && key == "reportingController") return "reportingComponent";
  if (!to_group.empty() && key == "reportingComponent") return "reportingController";
  return key;
}

/// Moves and renames; what always stands in an Event of v1 is added.
void convert_event(Json& object, const Resource& to) {
  for (Json::Member& each : object.make_object()) {
    each.key = std::string(other_event_name(each.key, to.group));
  }
  if (to.group.empty()) {
    for (const std::string_view key : {"involvedObject", "source"}) {
      if (!object.contains(key)) object.set(key, Json::object());
    }
    for (const std::string_view key : {"firstTimestamp", "lastTimestamp", "eventTime"}) {
      if (!object.contains(key)) object.set(key, Json());
    }
    for (const std::string_view key : {"reportingComponent", "reportingInstance"}) {
      if (!object.contains(key)) object.set(key, "");
    }
    return;
  }
  for (const std::string_view key : {"reportingController", "reportingInstance"}) {
    if (object.contains(key) && object.get(key).empty()) object.erase(key);
  }
}

constexpr std::string_view kCpuTarget = "targetCPUUtilizationPercentage";

/// spec.metrics of v2 hold what v1 knows as one number.
void autoscaler_to_v1(Json& object) {
  Json* spec = object.find("spec");
  const Json* metrics = spec == nullptr ? nullptr : spec->find("metrics");
  if (metrics == nullptr) return;
  for (const Json& each : metrics->items()) {
    if (each.text_at({"resource", "name"}) != "cpu") continue;
    const Json* target = each.at({"resource", "target", "averageUtilization"});
    if (target != nullptr) spec->set(kCpuTarget, *target);
  }
  spec->erase("metrics");
  spec->erase("behavior");
}

void autoscaler_to_v2(Json& object) {
  Json* spec = object.find("spec");
  const Json* target = spec == nullptr ? nullptr : spec->find(kCpuTarget);
  if (target == nullptr) return;
  Json metric = Json::object(
      {{"type", "Resource"},
       {"resource", Json::object({{"name", "cpu"},
                                  {"target", Json::object({{"type", "Utilization"},
                                                           {"averageUtilization", *target}})}})}});
  spec->set("metrics", Json::array({std::move(metric)}));
  spec->erase(kCpuTarget);
}

/// `{"kind":"Pod","apiVersion":"v1",`: how texts of the store begin.
std::string text_prefix(const Resource& resource) {
  return R"({"kind":")" + resource.kind + R"(","apiVersion":")" + resource.api_version() + R"(",)";
}

}  // namespace

Json convert(Json object, const Resource& to) {
  const std::string version = to.api_version();
  if (object.get("apiVersion").text() == version) return object;
  if (to.collection == Collection{"", "events"}) convert_event(object, to);
  if (to.collection == Collection{"autoscaling", "horizontalpodautoscalers"}) {
    to.version == "v1" ? autoscaler_to_v1(object) : autoscaler_to_v2(object);
  }
  object.set("apiVersion", version);
  return object;
}

bool is_stored_as(const Version& version, const Resource& resource) {
  return !resource.custom && version.text.starts_with(text_prefix(resource));
}

Json load(const Version& version, const Resource& resource) {
  Json object = convert(version.json(), resource);
  // The schema may have got defaults since the object was written.
  if (resource.custom && resource.rules != nullptr) resource.rules->set_defaults(object);
  return object;
}

std::string load_text(const Version& version, const Resource& resource) {
  return is_stored_as(version, resource) ? version.text : to_text(load(version, resource));
}

Draft make_draft(Json object, const Resource& resource, const ResourceSet& resources) {
  Draft draft;
  draft.ns = object.text_at({"metadata", "namespace"});
  draft.name = object.text_at({"metadata", "name"});
  if (const Json* labels = object.at({"metadata", "labels"})) {
    for (const Json::Member& each : labels->members()) {
      draft.labels.emplace_back(each.key, each.value.text());
    }
  }
  const std::span<const ResourcePtr> sharing = resources.sharing(resource.collection);
  for (const ResourcePtr& each : sharing) {
    if (each->rules == nullptr) continue;
    const bool same_form = each->api_version() == resource.api_version();
    Pairs fields = each->rules->fields(same_form ? object : convert(object, *each));
    draft.fields.insert(draft.fields.end(), fields.begin(), fields.end());
  }
  draft.object = sharing.empty() ? std::move(object) : convert(std::move(object), *sharing.front());
  return draft;
}

}  // namespace davit::sandbox
