#include "sandbox/crd/custom_resource.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "lib/kube/names.hpp"
#include "sandbox/crd/custom_rules.hpp"
#include "sandbox/crd/published_schema.hpp"

namespace davit::sandbox {

namespace {

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> out;
  for (const Json& each : list.items()) out.push_back(each.text());
  return out;
}

const CustomRules* rules_of(const Resource& resource) {
  return resource.custom ? dynamic_cast<const CustomRules*>(resource.rules.get()) : nullptr;
}

std::vector<Subresource> subresources_of(const CustomRules& rules) {
  const std::vector<std::string> verbs = {"get", "patch", "update"};
  std::vector<Subresource> out;
  if (rules.scale()) out.push_back({"scale", "autoscaling", "v1", "Scale", verbs});
  if (rules.has_status()) out.push_back({"status", "", "", "", verbs});
  return out;
}

std::shared_ptr<const ConversionHook> hook_of(const Json& definition) {
  const Json& conversion = definition.get("spec").get("conversion");
  if (conversion.get("strategy").text() != "Webhook") return nullptr;
  const Json& webhook = conversion.get("webhook");
  return std::make_shared<const ConversionHook>(
      ConversionHook{definition.text_at({"metadata", "name"}), webhook.get("clientConfig"),
                     texts(webhook.get("conversionReviewVersions"))});
}

/// One version of a definition whose spec is given.
Result<ResourcePtr> version_of(const Json& spec, const Json& version, DefinitionFacts shared) {
  const bool namespaced = spec.text_at({"scope"}) == "Namespaced";
  Result<std::shared_ptr<const CustomRules>> rules = CustomRules::compile(
      version, namespaced ? Scope::kNamespaced : Scope::kCluster, std::move(shared));
  if (!rules) return rules.error();
  const Json& names = spec.get("names");
  auto resource = std::make_shared<Resource>();
  resource->group = spec.text_at({"group"});
  resource->version = version.text_at({"name"});
  resource->name = names.text_at({"plural"});
  resource->singular = names.text_at({"singular"});
  resource->kind = names.text_at({"kind"});
  resource->namespaced = namespaced;
  resource->short_names = texts(names.get("shortNames"));
  resource->categories = texts(names.get("categories"));
  resource->verbs = {"create", "delete", "deletecollection", "get",
                     "list",   "patch",  "update",           "watch"};
  resource->subresources = subresources_of(**rules);
  resource->collection = {resource->group, resource->name};
  resource->schema = &(*rules)->apply_schema();
  resource->custom = true;
  resource->published = published_schema(version.get("schema").get("openAPIV3Schema"));
  resource->has_status = (*rules)->has_status();
  resource->has_generation = true;
  resource->unconditional_update = false;
  resource->rules = std::move(*rules);
  for (const Json& each : spec.get("versions").items()) {
    if (each.get("storage").boolean()) resource->stored_version = each.text_at({"name"});
  }
  return ResourcePtr(std::move(resource));
}

}  // namespace

Result<std::vector<ResourcePtr>> resources_of(const Json& definition, ConversionHooks hooks) {
  const bool deleted = !definition.text_at({"metadata", "deletionTimestamp"}).empty();
  DefinitionFacts shared;
  if (hooks == ConversionHooks::kCalled) shared.hook = hook_of(definition);
  if (deleted) shared.lifetime = DefinitionFacts::Lifetime::kTerminating;
  const Json& spec = definition.get("spec");
  const Json::Items& versions = spec.get("versions").items();
  for (const Json& version : versions) {
    if (!version.get("storage").boolean() || version.get("served").boolean()) continue;
    Result<ResourcePtr> storage = version_of(spec, version, shared);
    if (!storage) return storage.error();
    shared.unserved_storage = std::move(*storage);
  }
  std::vector<ResourcePtr> out;
  for (const Json& version : versions) {
    if (!version.get("served").boolean()) continue;
    Result<ResourcePtr> served = version_of(spec, version, shared);
    if (!served) return served.error();
    out.push_back(std::move(*served));
  }
  return out;
}

const ConversionHook* conversion_hook(const Resource& resource) {
  const CustomRules* rules = rules_of(resource);
  return rules == nullptr ? nullptr : rules->shared_.hook.get();
}

const Resource* unserved_storage(const Resource& resource) {
  const CustomRules* rules = rules_of(resource);
  return rules == nullptr ? nullptr : rules->shared_.unserved_storage.get();
}

bool is_terminating(const Resource& resource) {
  const CustomRules* rules = rules_of(resource);
  return rules != nullptr && rules->shared_.lifetime == DefinitionFacts::Lifetime::kTerminating;
}

Status conform_custom(const Resource& resource, Json& object, FieldFindings& findings) {
  if (Json* metadata = object.find("metadata"); metadata != nullptr && metadata->is_object()) {
    FieldFindings inner;
    if (Status done = conform(object_meta_schema(), *metadata, inner); !done.ok()) return done;
    std::ranges::sort(inner.unknown);
    for (const std::string& each : inner.unknown) findings.unknown.push_back("metadata." + each);
  }
  if (const CustomRules* rules = rules_of(resource)) prune(object, rules->schema(), findings);
  return {};
}

std::vector<std::string> finalizer_warnings(const Json& object, const Json& old) {
  constexpr std::array<std::string_view, 3> kStandard = {"orphan", "foregroundDeletion",
                                                         "kubernetes"};
  const Json::Items& before = old.get("metadata").get("finalizers").items();
  std::set<std::string> added;
  for (const Json& each : object.get("metadata").get("finalizers").items()) {
    if (std::ranges::find(before, each) == before.end()) added.insert(each.text());
  }
  std::vector<std::string> out;
  for (const std::string& name : added) {
    const std::string start = "metadata.finalizers: " + to_text(Json(name)) + ": ";
    for (const std::string& each : check_qualified_name(name)) out.push_back(start + each);
    const bool has_path = name.find('/') != std::string::npos;
    if (has_path || std::ranges::find(kStandard, name) != kStandard.end()) continue;
    const char* const including =
        name.find('.') == std::string::npos ? "" : " including a path (/)";
    out.push_back(start + "prefer a domain-qualified finalizer name" + including +
                  " to avoid accidental conflicts with other finalizer writers");
  }
  return out;
}

const ScalePaths* scale_paths(const Resource& resource) {
  const CustomRules* rules = rules_of(resource);
  return rules == nullptr || !rules->scale() ? nullptr : &*rules->scale();
}

}  // namespace davit::sandbox
