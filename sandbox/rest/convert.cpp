#include "sandbox/rest/convert.hpp"

#include <utility>

#include "sandbox/kinds/conversion.hpp"

namespace davit::sandbox {

namespace {

/// `{"kind":"Pod","apiVersion":"v1",`: how texts of the store begin.
std::string text_prefix(const Resource& resource) {
  return R"({"kind":")" + resource.kind + R"(","apiVersion":")" + resource.api_version() + R"(",)";
}

}  // namespace

Json convert(Json object, const Resource& to) {
  const std::string version = to.api_version();
  if (object.get("apiVersion").text() == version) return object;
  if (to.collection == Collection{"", "events"}) {
    to.group.empty() ? event_to_core(object) : event_from_core(object);
  }
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
  if (sharing.empty()) {
    draft.object = std::move(object);
    return draft;
  }
  const Resource& stored = *sharing.front();
  draft.object = convert(std::move(object), stored);
  // The stored version may have defaults that the written one lacks.
  if (stored.custom && stored.rules != nullptr) stored.rules->set_defaults(draft.object);
  return draft;
}

}  // namespace davit::sandbox
