#include "plugins/disruption/owner_scales.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace davit::disruption {
namespace {

bool is_apps(std::string_view group) { return group == "apps" || group == "extensions"; }

std::string qualified(const ServedResource& served) {
  std::string out(served.resource());
  if (!served.group().empty()) out.append(".").append(served.group());
  return out;
}

/// Numbers that no server accepts would overflow the sum.
std::int64_t bounded(std::int64_t replicas) {
  return std::clamp<std::int64_t>(replicas, INT32_MIN, INT32_MAX);
}

}  // namespace

Result<std::string_view> group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return std::string_view();
  if (api_version.find('/', slash + 1) == std::string_view::npos) {
    return api_version.substr(0, slash);
  }
  return Status(Code::kInvalid, "unexpected GroupVersion string: " + std::string(api_version));
}

OwnerScales::OwnerScales(Context& cluster)
    : cluster_(cluster),
      replication_controllers_(cluster.open_informer<ReplicationController>()),
      replica_sets_(cluster.open_informer<ReplicaSet>()),
      deployments_(cluster.open_informer<Deployment>()),
      stateful_sets_(cluster.open_informer<StatefulSet>()) {}

Result<ScaleSum> OwnerScales::sum(std::span<const Pod> pods) const {
  ScaleSum out;
  std::map<std::string, std::int64_t, std::less<>> scales;  // The keys are UIDs.
  for (const Pod& pod : pods) {
    const std::optional<OwnerReference> owner = pod.controller();
    if (!owner) {
      out.unmanaged.emplace_back(pod.name());
      continue;
    }
    if (scales.contains(owner->uid())) continue;
    Found found = find(pod.ns(), *owner);
    if (!found) return found.error();
    if (!*found) {
      return Status(Code::kNotFound,
                    "found no controllers for pod \"" + std::string(pod.name()) + "\"");
    }
    scales[(*found)->uid] = (*found)->replicas;
  }
  for (const auto& [uid, replicas] : scales) out.total += bounded(replicas);
  return out;
}

OwnerScales::Found OwnerScales::find(std::string_view ns, const OwnerReference& owner) const {
  const Result<std::string_view> group = group_of(owner.api_version());
  if (!group) return group.error();
  Found cached = in_caches(ns, owner, *group);
  if (!cached || *cached) return cached;
  return on_server(ns, owner);
}

OwnerScales::Found OwnerScales::in_caches(std::string_view ns, const OwnerReference& owner,
                                          std::string_view group) const {
  const auto scale_of = [&](const auto& informer) -> std::optional<Scale> {
    const auto object = informer.get(ns, owner.name());
    if (!object || object->uid() != owner.uid()) return std::nullopt;
    return Scale{std::string(object->uid()), object->replicas()};
  };
  if (owner.kind() == ReplicationController::kResource.kind && group.empty()) {
    return scale_of(replication_controllers_);
  }
  if (owner.kind() == ReplicaSet::kResource.kind && is_apps(group)) {
    return of_replica_set(ns, owner);
  }
  if (owner.kind() == StatefulSet::kResource.kind && group == StatefulSet::kResource.group) {
    return scale_of(stateful_sets_);
  }
  return std::optional<Scale>();
}

OwnerScales::Found OwnerScales::of_replica_set(std::string_view ns,
                                               const OwnerReference& owner) const {
  const Lookup<ReplicaSet> set = replica_sets_.get(ns, owner.name());
  if (!set || set->uid() != owner.uid()) return std::optional<Scale>();
  const std::optional<OwnerReference> parent = set->controller();
  if (!parent || parent->kind() != Deployment::kResource.kind) {
    return std::optional(Scale{std::string(set->uid()), set->replicas()});
  }
  const Result<std::string_view> group = group_of(parent->api_version());
  if (!group) return group.error();
  if (!is_apps(*group)) return std::optional<Scale>();
  const Lookup<Deployment> deployment = deployments_.get(ns, parent->name());
  if (!deployment || deployment->uid() != parent->uid()) return std::optional<Scale>();
  return std::optional(Scale{std::string(deployment->uid()), deployment->replicas()});
}

Result<ServedResource> OwnerScales::resource_of(const OwnerReference& owner) const {
  const Discovery discovery = cluster_.discovery();
  Result<ServedResource> served = discovery.find_kind(owner.api_version(), owner.kind());
  if (served.error().code() != Code::kNotFound) return served;
  // The catalog may be half a minute old, and nothing but another event repeats this sync.
  if (const Result<ServedCatalog> fresh = discovery.fetch(); !fresh) return fresh.error();
  served = discovery.find_kind(owner.api_version(), owner.kind());
  if (served.error().code() != Code::kNotFound) return served;
  return Status(Code::kNotFound, "no matches for kind \"" + std::string(owner.kind()) +
                                     "\" in version \"" + std::string(owner.api_version()) + "\"");
}

OwnerScales::Found OwnerScales::on_server(std::string_view ns, const OwnerReference& owner) const {
  const Result<ServedResource> served = resource_of(owner);
  if (!served) return served.error();
  const Result<ServedResource> preferred =
      cluster_.discovery().find(served->group(), {}, served->resource());
  if (!preferred) return preferred.error();
  // Cluster-scoped owners have none either: there is nothing at the path in a namespace.
  Request request = Request::get(
      {preferred->group(), preferred->version(), preferred->resource(), preferred->kind()},
      {std::string(ns), std::string(owner.name())});
  request.subresource = "scale";
  const Result<Value> scale = cluster_.client().call(request);
  if (scale.error().code() == Code::kNotFound) {
    if (served->has_subresource("scale")) return std::optional<Scale>();
    return Status(Code::kUnsupported,
                  qualified(*served) + " does not implement the scale subresource");
  }
  if (!scale) return scale.error();
  if (ObjectView(*scale).uid() != owner.uid()) return std::optional<Scale>();
  return std::optional(
      Scale{std::string(owner.uid()), (*scale)[&Names::spec][&Names::replicas].integer_or(0)});
}

}  // namespace davit::disruption
