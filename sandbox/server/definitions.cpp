#include "sandbox/server/definitions.hpp"

#include <algorithm>

#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/kinds/builtin_table.hpp"
#include "sandbox/rest/convert.hpp"
#include "sandbox/rest/delete.hpp"
#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/write.hpp"
#include "sandbox/server/local_api_services.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kDefinitionGroup = "apiextensions.k8s.io";
constexpr std::string_view kDefinitionPlural = "customresourcedefinitions";
const Collection kDefinitions{std::string(kDefinitionGroup), std::string(kDefinitionPlural)};
constexpr int kAttemptsMax = 100;

bool is_definition(const Resource& resource) { return resource.collection == kDefinitions; }
bool is_api_service(const Resource& resource) {
  return resource.collection.group == "apiregistration.k8s.io" &&
         resource.collection.resource == "apiservices";
}

/// "widgets.example.com"
std::string definition_name(const Collection& collection) {
  return collection.resource + '.' + collection.group;
}

Collection objects_of(const Json& definition) {
  return {definition.text_at({"spec", "group"}), definition.text_at({"spec", "names", "plural"})};
}

std::string storage_version(const Json& definition) {
  for (const Json& each : definition.get("spec").get("versions").items()) {
    if (each.get("storage").boolean()) return each.get("name").text();
  }
  return "";
}

bool is_held(const Json& definition) {
  return std::ranges::any_of(
      definition.get("metadata").get("finalizers").items(),
      [](const Json& each) { return each.text() == kCustomResourceCleanup; });
}

}  // namespace

std::vector<ResourcePtr> served_at_first(const KindGates& gates, const ServiceFamilies& families) {
  std::vector<ResourcePtr> out = resources_under(gates);
  apply_gates(out, gates);
  apply_families(out, families);
  for (ResourcePtr& each : out) {
    if (!is_definition(*each)) continue;
    auto with_rules = std::make_shared<Resource>(*each);
    with_rules->rules = definition_rules({.group = kDefinitionGroup,
                                          .plural = kDefinitionPlural,
                                          .kind = "CustomResourceDefinition",
                                          .names = NameRule::kSubdomain,
                                          .namespaced = false,
                                          .has_status = true,
                                          .has_generation = true});
    each = std::move(with_rules);
  }
  return out;
}

Definitions::Definitions(Store& store, Clock& clock, Random& random, Resources& resources,
                         Admission& admission, ConversionHooks hooks)
    : store_(store),
      clock_(clock),
      random_(random),
      resources_(resources),
      admission_(admission),
      hooks_(hooks) {}

void Definitions::restore() {
  for (const VersionPtr& each : store_.list(kDefinitions, "").objects) {
    MutexLock lock(mutex_);
    serve(each->json());
  }
}

void Definitions::stored(const Resource& resource, const VersionPtr& version) {
  if (is_api_service(resource)) return restore_local_api_service(parts(), version->json());
  if (!is_definition(resource)) return;
  update_status(version->name);
  keep_services(version->json());
  const VersionPtr now = store_.get(kDefinitions, "", version->name);
  if (now == nullptr) return;
  const Json definition = now->json();
  if (!is_being_deleted(definition) || !is_held(definition)) return;
  remove_objects(definition);
  release(version->name);
}

void Definitions::removed(const Resource& resource, const VersionPtr& version) {
  if (is_definition(resource)) {
    const Json definition = version->json();
    {
      MutexLock lock(mutex_);
      resources_.replace(objects_of(definition), {});
    }
    return keep_services(definition);
  }
  if (is_api_service(resource)) {
    return keep_local_api_services(parts(), version->json().text_at({"spec", "group"}));
  }
  if (resource.custom) release(definition_name(resource.collection));
}

RestParts Definitions::parts() { return {store_, clock_, random_, resources_, admission_, *this}; }

void Definitions::keep_services(const Json& definition) {
  keep_local_api_services(parts(), definition.text_at({"spec", "group"}));
}

void Definitions::update_status(const std::string& name) {
  MutexLock lock(mutex_);
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    const VersionPtr current = store_.get(kDefinitions, "", name);
    if (current == nullptr) return;
    const Json old = current->json();
    Json next = old;
    update_definition_status(next, neighbours(old.text_at({"spec", "group"})), time_text(clock_));
    if (next == old) return serve(next);
    const std::shared_ptr<const ResourceSet> resources = resources_.now();
    const ResourcePtr self = resources->find(kDefinitions.group, "v1", kDefinitions.resource);
    Result<VersionPtr> stored =
        store_.update(kDefinitions, make_draft(next, *self, *resources), current->revision);
    if (stored) return serve(next);
  }
}

void Definitions::serve(const Json& definition) {
  std::vector<ResourcePtr> versions;
  if (is_established(definition)) {
    Result<std::vector<ResourcePtr>> served = resources_of(definition, hooks_);
    if (served) versions = std::move(*served);
    // Objects are stored in the form of the first.
    std::stable_partition(versions.begin(), versions.end(), [&](const ResourcePtr& each) {
      return each->version == storage_version(definition);
    });
  }
  resources_.replace(objects_of(definition), std::move(versions));
}

void Definitions::remove_objects(const Json& definition) {
  const Collection collection = objects_of(definition);
  const std::shared_ptr<const ResourceSet> resources = resources_.now();
  const std::span<const ResourcePtr> versions = resources->sharing(collection);
  if (versions.empty()) return;
  const ResourcePtr resource = versions.front();
  const RestParts parts{store_, clock_, random_, resources_, admission_, *this};
  for (const VersionPtr& each : store_.list(collection, "").objects) {
    // An object with finalizers stays until they are gone; then removed() calls this again.
    static_cast<void>(delete_one(parts, *resource, each->ns, each->name, {}).has_value());
  }
}

void Definitions::release(const std::string& name) {
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    const VersionPtr current = store_.get(kDefinitions, "", name);
    if (current == nullptr) return;
    Json definition = current->json();
    if (!is_being_deleted(definition) || !is_held(definition)) return;
    if (!store_.list(objects_of(definition), "").objects.empty()) return;
    const std::shared_ptr<const ResourceSet> resources = resources_.now();
    const ResourcePtr self = resources->find(kDefinitions.group, "v1", kDefinitions.resource);
    Json& finalizers = definition["metadata"]["finalizers"];
    std::erase_if(finalizers.make_array(),
                  [](const Json& each) { return each.text() == kCustomResourceCleanup; });
    if (!finalizers.items().empty()) {
      Result<VersionPtr> stored = store_.update(
          kDefinitions, make_draft(std::move(definition), *self, *resources), current->revision);
      if (stored) return;
      continue;
    }
    const RestParts parts{store_, clock_, random_, resources_, admission_, *this};
    if (remove_version(parts, *self, *current, current->json())) return;
  }
}

std::vector<Json> Definitions::neighbours(const std::string& group) const {
  std::vector<Json> out;
  const std::string suffix = "." + group;  // Names are checked: "<plural>.<group>".
  for (const VersionPtr& each : store_.list(kDefinitions, "").objects) {
    if (!each->name.ends_with(suffix)) continue;
    Json definition = each->json();
    if (definition.text_at({"spec", "group"}) == group) out.push_back(std::move(definition));
  }
  return out;
}

}  // namespace davit::sandbox
