#include "sandbox/policy/parameters.hpp"

#include <utility>

#include "sandbox/kinds/metadata.hpp"
#include "sandbox/rest/convert.hpp"

namespace davit::sandbox {

namespace {

const ParameterPtr& parameter(const VersionPtr& version, const Resource& kind,
                              ParameterCache& known) {
  ParameterPtr& out = known[version];
  if (out == nullptr) out = std::make_shared<const Json>(load(*version, kind));
  return out;
}

}  // namespace

Parameters collect_parameters(const ResourcePtr& kind, const Json& reference, std::string_view ns,
                              const Store& store, ParameterCache& known) {
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
  if (!name.empty()) {
    const VersionPtr found = store.get(kind->collection, where, name);
    if (found != nullptr) out.objects.push_back(parameter(found, *kind, known));
  } else {
    for (const VersionPtr& each : store.list(kind->collection, where).objects) {
      const ParameterPtr& object = parameter(each, *kind, known);
      if (selector_matches(reference.get("selector"), object->get("metadata").get("labels"))) {
        out.objects.push_back(object);
      }
    }
  }
  if (out.objects.empty() && reference.get("parameterNotFoundAction").text() == "Deny") {
    return refuse("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return out;
}

}  // namespace davit::sandbox
