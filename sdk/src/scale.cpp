#include <algorithm>
#include <davit/json_writer.hpp>
#include <davit/kube/group_version.hpp>
#include <davit/scale.hpp>
#include <optional>
#include <utility>

namespace davit {
namespace {

std::string text_of(const ScaleTarget& target) { return target.kind + " " + target.key.text(); }

Resource resource_of(const ServedResource& served) {
  return {served.group(), served.version(), served.resource(), served.kind()};
}

Scale read(const ScaleTarget& target, std::string_view resource, const Value& object) {
  const Value metadata = object[&Names::metadata];
  const auto number = [](const Value& value) {
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>(value.integer_or(0), INT32_MIN, INT32_MAX));
  };
  return {.target = target,
          .resource = std::string(resource),
          .uid = std::string(metadata[&Names::uid].string()),
          .resource_version = std::string(metadata[&Names::resource_version].string()),
          .replicas = number(object[&Names::spec][&Names::replicas]),
          .current_replicas = number(object[&Names::status][&Names::replicas]),
          .selector = std::string(object[&Names::status][&Names::selector].string()),
          .created = std::string(metadata[&Names::creation_timestamp].string())};
}

std::string body_of(const Scale& present, std::int32_t replicas) {
  JsonWriter body;
  body.begin_object().member("kind", "Scale").member("apiVersion", "autoscaling/v1");
  body.key("metadata").begin_object();
  body.member("name", present.target.key.name).member("namespace", present.target.key.ns);
  body.member("uid", present.uid).member("resourceVersion", present.resource_version);
  if (!present.created.empty()) body.member("creationTimestamp", present.created);
  body.end_object().key("spec").begin_object();
  body.member("replicas", std::int64_t{replicas}).end_object().key("status").begin_object();
  body.member("replicas", std::int64_t{present.current_replicas});
  body.member("selector", present.selector).end_object().end_object();
  return std::move(body).text();
}

/// The versions of the catalog in which this kind is served.
std::vector<ServedResource> served_as(const ServedCatalog& catalog, std::string_view group,
                                      std::string_view kind) {
  std::vector<ServedResource> out;
  std::copy_if(
      catalog.resources.begin(), catalog.resources.end(), std::back_inserter(out),
      [&](const ServedResource& each) { return each.group() == group && each.kind() == kind; });
  return out;
}

/// Why nothing can be said about the group, if that is so.
std::optional<Status> unknown_part(const ServedCatalog& catalog, std::string_view group) {
  for (const UnknownVersion& each : catalog.unknown) {
    if (each.group == group) return Status(Code::kUnavailable, std::string(each.why));
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<ServedResource>> Scales::resources_of(const ScaleTarget& target) const {
  const std::string_view group = split_api_version(target.api_version).group;
  if (std::count(target.api_version.begin(), target.api_version.end(), '/') > 1) {
    return Status(Code::kInvalid, "unexpected GroupVersion string: " + target.api_version);
  }
  Result<ServedCatalog> catalog = discovery_.catalog();
  if (!catalog) return catalog.error();
  std::vector<ServedResource> kinds = served_as(*catalog, group, target.kind);
  if (kinds.empty()) {
    // The catalog may be half a minute old.
    catalog = discovery_.fetch();
    if (!catalog) return catalog.error();
    kinds = served_as(*catalog, group, target.kind);
  }
  if (kinds.empty()) {
    if (const std::optional<Status> unknown = unknown_part(*catalog, group)) return *unknown;
    return Status(Code::kNotFound, "no matches for kind \"" + target.kind + "\" in group \"" +
                                       std::string(group) + "\"");
  }
  std::vector<ServedResource> out;
  for (const ServedResource& each : kinds) {
    const auto is_same = [&each](const ServedResource& other) {
      return other.resource() == each.resource();
    };
    if (std::any_of(out.begin(), out.end(), is_same)) continue;
    const Result<ServedResource> preferred = discovery_.find(group, {}, each.resource());
    out.push_back(preferred ? *preferred : each);
  }
  return out;
}

Result<Scale> Scales::get(const ScaleTarget& target) const {
  const Result<std::vector<ServedResource>> resources = resources_of(target);
  if (!resources) return resources.error();
  Status first;
  for (const ServedResource& each : *resources) {
    // Cluster-scoped kinds, too, are asked for in the namespace, where nothing is.
    Request request = Request::get(resource_of(each), target.key);
    request.subresource = "scale";
    const Result<Value> object = client_.call(request);
    if (object) return read(target, each.resource(), *object);
    const bool unscalable =
        object.error().code() == Code::kNotFound && !each.has_subresource("scale");
    if (!first.ok()) continue;
    first = unscalable ? Status(Code::kUnsupported,
                                "the server could not find the requested "
                                "resource")
                       : object.error();
  }
  return first;
}

Result<Scale> Scales::set(const Scale& present, std::int32_t replicas) const {
  const ScaleTarget& target = present.target;
  const Result<std::vector<ServedResource>> resources = resources_of(target);
  if (!resources) return resources.error();
  for (const ServedResource& each : *resources) {
    if (each.resource() != present.resource) continue;
    const Result<Value> object = client_.call(Request::update(
        resource_of(each), target.key, body_of(present, replicas), {.subresource = "scale"}));
    if (!object) return object.error();
    return read(target, present.resource, *object);
  }
  return Status(Code::kNotFound, text_of(target) + " is no longer among " + present.resource);
}

}  // namespace davit
