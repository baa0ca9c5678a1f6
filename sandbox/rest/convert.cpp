#include "sandbox/rest/convert.hpp"

#include <algorithm>
#include <utility>

#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/kinds/conversion.hpp"
#include "sandbox/rest/meta.hpp"

namespace davit::sandbox {

namespace {

/// `{"kind":"Pod","apiVersion":"v1",`: how texts of the store begin.
std::string text_prefix(const Resource& resource) {
  return R"({"kind":")" + resource.kind + R"(","apiVersion":")" + resource.api_version() + R"(",)";
}

/// Objects of one request to a webhook: many enough that a list costs few, few enough that its
/// server holds them.
constexpr std::size_t kBatchMax = 100;
constexpr std::size_t kBatchBytesMax = std::size_t{2} << 20U;

/// The number of `objects` that the next request has; at least one.
std::size_t batch_size(std::span<Json* const> objects) {
  std::size_t count = 1;
  std::size_t bytes = bytes_of(*objects.front());
  while (count < std::min(kBatchMax, objects.size())) {
    bytes += bytes_of(*objects[count]);
    if (bytes > kBatchBytesMax) break;
    ++count;
  }
  return count;
}

bool is_of(const Json& object, std::string_view api_version) {
  return object.get("apiVersion").text() == api_version;
}

/// The version `api_version` of the definition of `near` if it is served or the storage version,
/// else null.
const Resource* in_version(const ResourceSet& resources, const Resource& near,
                           std::string_view api_version) {
  for (const ResourcePtr& each : resources.sharing(near.collection)) {
    if (each->api_version() == api_version) return each.get();
  }
  const Resource* const storage = unserved_storage(near);
  return storage != nullptr && storage->api_version() == api_version ? storage : nullptr;
}

ApiError no_memory() {
  return too_many_requests("too many objects wait for conversion webhooks", {}, 1);
}

/// Objects of several versions of the definition of `near`, in the version `api_version`.
ApiResult<std::vector<Json>> convert_all(const RestParts& parts, const Resource& near,
                                         std::vector<Json> objects, const std::string& api_version,
                                         FormMemory held = FormMemory::kOfTheCall) {
  const ConversionHook& hook = *conversion_hook(near);
  std::vector<Json*> wanted;
  std::size_t bytes = 0;
  for (Json& each : objects) {
    if (is_of(each, api_version)) continue;
    wanted.push_back(&each);
    bytes += bytes_of(each);
  }
  // The number of threads bounds smaller ones, which fit in one request to a webhook.
  std::shared_ptr<void> memory;
  if (held == FormMemory::kOfTheCall && bytes > kBatchBytesMax) {
    memory = parts.converter->reserve(bytes);
    if (memory == nullptr) return no_memory();
  }
  const std::shared_ptr<const ResourceSet> resources = parts.resources.now();
  const Time end = parts.clock.now() + kRequestTime;
  std::span<Json* const> left = wanted;
  while (!left.empty()) {
    if (parts.clock.now() >= end) return conversion_timeout();
    const std::size_t count = batch_size(left);
    std::vector<Json> batch;
    for (std::size_t i = 0; i < count; ++i) batch.push_back(std::move(*left[i]));
    ApiResult<std::vector<Json>> converted =
        parts.converter->convert(hook, batch, api_version, parts.stop);
    if (!converted) return converted.error();
    for (std::size_t i = 0; i < count; ++i) {
      Json& object = (*converted)[i];
      const Resource* const to = in_version(*resources, near, api_version);
      FieldFindings ignored;
      if (to != nullptr) {
        if (const Status status = conform_custom(*to, object, ignored); !status.ok()) {
          return internal_error(status.message());
        }
      }
      *left[i] = std::move(object);
    }
    left = left.subspan(count);
  }
  return objects;
}

/// Defaults of a stored object are those of the version in which it is stored: a webhook gets
/// complete objects, and its answer is final.
Json with_stored_defaults(Json object, const Resource& near, const ResourceSet& resources) {
  const Resource* const own = in_version(resources, near, object.get("apiVersion").text());
  if (own != nullptr && own->rules != nullptr) own->rules->set_defaults(object);
  return object;
}

}  // namespace

ApiError conversion_timeout() {
  return without_details(reason::kTimeout,
                         "Timeout: request did not complete within the allotted timeout");
}

Pairs labels_of(const Json& object) {
  Pairs out;
  if (const Json* labels = object.at({"metadata", "labels"})) {
    for (const Json::Member& each : labels->members()) {
      out.emplace_back(each.key, each.value.text());
    }
  }
  std::ranges::sort(out);
  return out;
}

Json convert(Json object, const Resource& to) {
  const std::string version = to.api_version();
  if (is_of(object, version) || conversion_hook(to) != nullptr) return object;
  if (to.collection == Collection{"", "events"}) {
    to.group.empty() ? event_to_core(object) : event_from_core(object);
  }
  if (to.collection == Collection{"autoscaling", "horizontalpodautoscalers"}) {
    to.version == "v1" ? autoscaler_to_v1(object) : autoscaler_to_v2(object);
  }
  object.set("apiVersion", version);
  if (to.custom) {
    // Fields of one version that another lacks are not shown there. Wrong types stay as they are.
    FieldFindings ignored;
    static_cast<void>(conform_custom(to, object, ignored).ok());
  }
  return object;
}

ApiResult<Json> convert(const RestParts& parts, Json object, const Resource& to) {
  const ConversionHook* const hook = conversion_hook(to);
  const std::string version = to.api_version();
  if (hook == nullptr || parts.converter == nullptr || is_of(object, version)) {
    return convert(std::move(object), to);
  }
  std::vector<Json> one;
  one.push_back(std::move(object));
  ApiResult<std::vector<Json>> out = convert_all(parts, to, std::move(one), version);
  if (!out) return out.error();
  return std::move(out->front());
}

bool is_stored_as(const Version& version, const Resource& resource) {
  return !resource.custom && version.text.starts_with(text_prefix(resource));
}

Json load(const Version& version, const Resource& resource) {
  Json object = convert(version.json(), resource);
  // The schema may have got defaults since the object was written.
  if (resource.custom && resource.rules != nullptr && is_of(object, resource.api_version())) {
    resource.rules->set_defaults(object);
  }
  return object;
}

ApiResult<Json> load(const RestParts& parts, const Version& version, const Resource& resource) {
  if (conversion_hook(resource) == nullptr || parts.converter == nullptr) {
    return load(version, resource);
  }
  return convert(parts, with_stored_defaults(version.json(), resource, *parts.resources.now()),
                 resource);
}

ApiResult<std::shared_ptr<void>> reserve_forms(const RestParts& parts,
                                               std::span<const VersionPtr> versions,
                                               const Resource& resource) {
  if (parts.converter == nullptr || conversion_hook(resource) == nullptr) {
    return std::shared_ptr<void>();
  }
  std::size_t bytes = 0;
  for (const VersionPtr& each : versions) bytes += each->text.size();
  if (bytes <= kBatchBytesMax) return std::shared_ptr<void>();
  std::shared_ptr<void> out = parts.converter->reserve(bytes);
  if (out == nullptr) return no_memory();
  return out;
}

ApiResult<std::vector<Json>> load(const RestParts& parts, std::span<const VersionPtr> versions,
                                  const Resource& resource, FormMemory memory) {
  const ConversionHook* const hook =
      parts.converter == nullptr ? nullptr : conversion_hook(resource);
  std::vector<Json> out;
  out.reserve(versions.size());
  if (hook == nullptr) {
    for (const VersionPtr& each : versions) out.push_back(load(*each, resource));
    return out;
  }
  const std::shared_ptr<const ResourceSet> resources = parts.resources.now();
  for (const VersionPtr& each : versions) {
    out.push_back(with_stored_defaults(each->json(), resource, *resources));
  }
  return convert_all(parts, resource, std::move(out), resource.api_version(), memory);
}

bool is_in_stored_form(const RestParts& parts, const Version& version, const Resource& resource) {
  if (!resource.custom) return true;
  std::string stored = resource.group + '/' + resource.stored_version;
  if (parts.converter == nullptr || conversion_hook(resource) == nullptr) {
    const std::shared_ptr<const ResourceSet> resources = parts.resources.now();
    const std::span<const ResourcePtr> sharing = resources->sharing(resource.collection);
    if (!sharing.empty()) stored = sharing.front()->api_version();
  }
  return is_of(version.json(), stored);
}

std::string load_text(const Version& version, const Resource& resource) {
  return is_stored_as(version, resource) ? version.text : to_text(load(version, resource));
}

Draft make_draft(Json object, const Resource& resource, const ResourceSet& resources) {
  Draft draft;
  draft.ns = object.text_at({"metadata", "namespace"});
  draft.name = object.text_at({"metadata", "name"});
  draft.labels = labels_of(object);
  const std::span<const ResourcePtr> sharing = resources.sharing(resource.collection);
  for (const ResourcePtr& each : sharing) {
    if (each->rules == nullptr || each->custom) continue;
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
  if (stored.custom && stored.rules != nullptr && is_of(draft.object, stored.api_version())) {
    stored.rules->set_defaults(draft.object);
  }
  return draft;
}

ApiResult<Draft> make_draft(const RestParts& parts, Json object, const Resource& resource) {
  const ConversionHook* const hook =
      parts.converter == nullptr ? nullptr : conversion_hook(resource);
  const std::shared_ptr<const ResourceSet> resources = parts.resources.now();
  if (hook == nullptr) return make_draft(std::move(object), resource, *resources);
  // Not that of the first of the sharing resources: the stored version need not be served.
  const std::string stored = resource.group + '/' + resource.stored_version;
  std::vector<Json> one;
  one.push_back(std::move(object));
  ApiResult<std::vector<Json>> kept = convert_all(parts, resource, std::move(one), stored);
  if (!kept) return kept.error();
  Draft draft;
  draft.object = std::move(kept->front());
  draft.ns = draft.object.text_at({"metadata", "namespace"});
  draft.name = draft.object.text_at({"metadata", "name"});
  draft.labels = labels_of(draft.object);
  return draft;
}

ConvertVersion version_converter(const RestParts& parts, const Resource& resource) {
  const std::shared_ptr<const ResourceSet> resources = parts.resources.now();
  const bool is_alone =
      unserved_storage(resource) == nullptr && resources->sharing(resource.collection).size() == 1;
  // Entries of versions that are gone are dropped, too.
  if (is_alone && !resource.custom) return nullptr;
  return [&parts, &resource, resources](const Json& object,
                                        const std::string& api_version) -> Result<VersionedForm> {
    const Resource* const to = in_version(*resources, resource, api_version);
    // A built-in kind has had versions that are no longer served.
    if (to == nullptr && !resource.custom) return VersionedForm{object, resource.schema};
    if (to == nullptr) return Status(Code::kNotFound, "there is no version " + api_version);
    ApiResult<Json> converted = convert(parts, object, *to);
    if (!converted) return Status(Code::kUnavailable, converted.error().message);
    return VersionedForm{std::move(*converted), to->schema, resources};
  };
}

Draft removal_draft(const Version& current) {
  return {current.ns, current.name, current.json(), current.labels, current.fields};
}

}  // namespace davit::sandbox
