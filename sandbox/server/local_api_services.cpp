#include "sandbox/server/local_api_services.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "sandbox/rest/delete.hpp"
#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/write.hpp"
#include "sandbox/server/server_target.hpp"

namespace davit::sandbox {

namespace {

const Collection kServices{"apiregistration.k8s.io", "apiservices"};
constexpr std::string_view kManaged = "kube-aggregator.kubernetes.io/automanaged";

/// The places of groups and versions in discovery. k8s: pkg/controlplane/apiserver/aggregator.go.
struct Priority {
  std::string_view group;
  int group_minimum;
  int version;
};
constexpr Priority kPriorities[] = {
    {"", 18000, 1},
    {"apps", 17800, 15},
    {"events.k8s.io", 17750, 15},
    {"authentication.k8s.io", 17700, 15},
    {"authorization.k8s.io", 17600, 15},
    {"autoscaling", 17500, 15},
    {"batch", 17400, 15},
    {"certificates.k8s.io", 17300, 15},
    {"networking.k8s.io", 17200, 15},
    {"policy", 17100, 15},
    {"rbac.authorization.k8s.io", 17000, 15},
    {"storage.k8s.io", 16800, 15},
    {"apiextensions.k8s.io", 16700, 15},
    {"admissionregistration.k8s.io", 16700, 15},
    {"scheduling.k8s.io", 16600, 15},
    {"coordination.k8s.io", 16500, 15},
    {"node.k8s.io", 16300, 15},
    {"discovery.k8s.io", 16200, 15},
    {"resource.k8s.io", 16200, 21},
    {"flowcontrol.apiserver.k8s.io", 16100, 21},
};

Priority priority_of(std::string_view group, std::string_view version) {
  // Those of custom resources.
  Priority out{group, 1000, 100};
  for (const Priority& each : kPriorities) {
    if (each.group == group) out = each;
  }
  if (group == "autoscaling" && version == "v2") out.version = 30;
  if (group == "resource.k8s.io" && version == "v1beta2") out.version = 15;
  return out;
}

Json service_object(const std::string& group, const std::string& version, bool custom) {
  const Priority priority = priority_of(group, version);
  Json spec = Json::object({{"version", version},
                            {"groupPriorityMinimum", priority.group_minimum},
                            {"versionPriority", priority.version}});
  if (!group.empty()) spec.set("group", group);
  Json labels = Json::object({{kManaged, custom ? "true" : "onstart"}});
  return Json::object(
      {{"apiVersion", "apiregistration.k8s.io/v1"},
       {"kind", "APIService"},
       {"metadata", Json::object({{"name", version + '.' + group}, {"labels", std::move(labels)}})},
       {"spec", std::move(spec)}});
}

ResourcePtr api_services(const RestParts& parts) {
  return parts.resources.now()->find(kServices.group, "v1", kServices.resource);
}

void make(const RestParts& parts, const std::string& group, const std::string& version,
          bool custom) {
  const ResourcePtr resource = api_services(parts);
  const std::string name = version + '.' + group;
  if (resource == nullptr || parts.store.get(kServices, "", name) != nullptr) return;
  const WriteTarget target = server_target(parts, *resource, "", "");
  std::vector<std::string> warnings;
  const ApiResult<Written> made =
      create_object(parts, target, service_object(group, version, custom), warnings);
  if (!made) return;  // Another request made it.
  const auto available = [&](const Json& old) -> ApiResult<Json> {
    Json next = old;
    Json condition = Json::object({{"type", "Available"},
                                   {"status", "True"},
                                   {"lastTransitionTime", time_text(parts.clock)},
                                   {"reason", "Local"},
                                   {"message", "Local APIServices are always available"}});
    next["status"].set("conditions", Json::array({std::move(condition)}));
    return next;
  };
  static_cast<void>(rewrite_status(parts, *resource, "", name, DryRun::kNo, available));
}

}  // namespace

void write_local_api_services(const RestParts& parts) {
  for (const ResourcePtr& each : parts.resources.now()->all()) {
    if (each->group == kServices.group) continue;  // The aggregator's own group needs none.
    make(parts, each->group, each->version, each->custom);
  }
}

void keep_local_api_services(const RestParts& parts, const std::string& group) {
  if (parts.store.get(kServices, "", "v1.") == nullptr) return;
  std::set<std::string> served;
  for (const ResourcePtr& each : parts.resources.now()->all()) {
    if (each->group == group && each->custom) served.insert(each->version);
  }
  for (const std::string& each : served) make(parts, group, each, true);
  const ResourcePtr resource = api_services(parts);
  if (resource == nullptr) return;
  // An APIService is named after its version and group, so the others need not be parsed: with a
  // thousand groups that would take most of the time of each definition.
  const std::string suffix = '.' + group;
  for (const VersionPtr& each : parts.store.list(kServices, "").objects) {
    if (!each->name.ends_with(suffix)) continue;
    const Json object = each->json();
    if (object.text_at({"spec", "group"}) != group ||
        object.text_at({"metadata", "labels", kManaged}) != "true" ||
        served.contains(object.text_at({"spec", "version"}))) {
      continue;
    }
    static_cast<void>(delete_one(parts, *resource, "", each->name, {}).has_value());
  }
}

void restore_local_api_service(const RestParts& parts, const Json& object) {
  const ResourcePtr resource = api_services(parts);
  if (resource == nullptr || object.text_at({"metadata", "labels", kManaged}) != "true") return;
  const std::string group = object.text_at({"spec", "group"});
  const std::string version = object.text_at({"spec", "version"});
  const std::string name = object.text_at({"metadata", "name"});
  const std::shared_ptr<const ResourceSet> served = parts.resources.now();
  const auto is_version = [&](const ResourcePtr& each) {
    return each->group == group && each->version == version;
  };
  const auto found = std::ranges::find_if(served->all(), is_version);
  if (found == served->all().end()) {
    static_cast<void>(delete_one(parts, *resource, "", name, {}).has_value());
    return;
  }
  // Those of built-in groups are managed at the start only.
  if (!(*found)->custom) return;
  const Json own = service_object(group, version, true).get("spec");
  if (object.get("spec") == own) return;
  std::vector<std::string> warnings;
  const auto with_spec = [&](const Json& old) -> ApiResult<Json> {
    Json next = old;
    next.set("spec", own);
    return next;
  };
  static_cast<void>(rewrite_object(parts, server_target(parts, *resource, "", name),
                                   Missing::kNotFound, with_spec, warnings)
                        .has_value());
}

}  // namespace davit::sandbox
