#include "sandbox/policy/parameters.hpp"

#include <utility>

#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/rest/convert.hpp"

namespace davit::sandbox {

namespace {

Json labels_json(const Pairs& labels) {
  Json out = Json::object();
  for (const auto& [key, value] : labels) out.set(key, value);
  return out;
}

/// The objects of `versions` that `selector` selects; null: all. Others are not kept in memory.
ApiResult<std::vector<ParameterPtr>> select_parameters(const RestParts& parts,
                                                       std::vector<VersionPtr> versions,
                                                       const Json* selector, const Resource& kind,
                                                       ParameterCache& known) {
  // A webhook may change labels.
  const bool converts = parts.converter != nullptr && conversion_hook(kind) != nullptr;
  if (selector != nullptr && !converts) {
    std::erase_if(versions, [selector](const VersionPtr& each) {
      return !selector_matches(*selector, labels_json(each->labels));
    });
  }
  std::vector<VersionPtr> fresh;
  for (const VersionPtr& each : versions) {
    if (!known.contains(each)) fresh.push_back(each);
  }
  ApiResult<std::vector<Json>> loaded = load(parts, fresh, kind);
  if (!loaded) return loaded.error();
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    known[fresh[i]] = std::make_shared<const Json>(std::move((*loaded)[i]));
  }
  std::vector<ParameterPtr> out;
  for (const VersionPtr& each : versions) {
    const ParameterPtr& object = known[each];
    const Json& labels = object->get("metadata").get("labels");
    if (selector == nullptr || selector_matches(*selector, labels)) out.push_back(object);
  }
  return out;
}

}  // namespace

Parameters collect_parameters(const ResourcePtr& kind, const Json& reference, std::string_view ns,
                              const RestParts& parts, ParameterCache& known) {
  Parameters out;
  if (kind == nullptr || reference.is_null()) {
    out.objects.push_back(std::make_shared<const Json>());
    return out;
  }
  const auto refuse = [&out](std::string why) {
    out.error = std::move(why);
    return std::move(out);
  };
  std::string where = reference.get("namespace").text();
  if (!kind->namespaced && !where.empty()) {
    return refuse("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  if (kind->namespaced && where.empty()) where = ns;
  if (kind->namespaced && where.empty()) {
    return refuse(
        "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  }
  const std::string& name = reference.get("name").text();
  const Json* selector = nullptr;
  std::vector<VersionPtr> versions;
  if (name.empty()) {
    selector = &reference.get("selector");
    versions = parts.store.list(kind->collection, where).objects;
  } else if (VersionPtr found = parts.store.get(kind->collection, where, name)) {
    versions.push_back(std::move(found));
  }
  ApiResult<std::vector<ParameterPtr>> selected =
      select_parameters(parts, std::move(versions), selector, *kind, known);
  if (!selected) return refuse(selected.error().message);
  out.objects = std::move(*selected);
  if (out.objects.empty() && reference.get("parameterNotFoundAction").text() == "Deny") {
    return refuse("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return out;
}

}  // namespace davit::sandbox
