#include "sandbox/aggregation/merged_discovery.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sandbox/output/discovery.hpp"

namespace davit::sandbox {

namespace {

/// Stands before all others: its priority exceeds the highest that an APIService may have.
constexpr std::string_view kRegistrationGroup = "apiregistration.k8s.io";
constexpr std::int64_t kRegistrationPriority = 20'001;

std::int64_t priority_in(const std::map<std::string, std::int64_t, std::less<>>& priorities,
                         std::string_view key) {
  if (key == kRegistrationGroup) return kRegistrationPriority;
  const auto found = priorities.find(key);
  return found == priorities.end() ? 0 : found->second;
}

std::string api_version(std::string_view group, std::string_view version) {
  return std::string(group) + '/' + std::string(version);
}

/// The form of a group in one of the documents.
struct GroupForm {
  std::string (*name)(const Json& item);
  Json (*make)(const std::string& group);
  Json (*version)(const RemoteVersion& version);
};

/// The entry of `group`, made at its place if missing.
Json& entry_of(Json& items, const std::string& group, const GroupForm& form,
               const RemoteApis& remote) {
  Json::Items& list = items.make_array();
  const auto found =
      std::ranges::find_if(list, [&](const Json& each) { return form.name(each) == group; });
  if (found != list.end()) return *found;
  const std::int64_t own = priority_in(remote.group_priorities, group);
  const auto next = std::ranges::find_if(list, [&](const Json& each) {
    const std::string name = form.name(each);
    const std::int64_t priority = priority_in(remote.group_priorities, name);
    return priority < own || (priority == own && name > group);
  });
  return *list.insert(next, form.make(group));
}

void sort_versions(Json& versions, std::string_view group, const RemoteApis& remote) {
  Json::Items& list = versions.make_array();
  std::stable_sort(list.begin(), list.end(), [&](const Json& a, const Json& b) {
    const std::string& left = a.get("version").text();
    const std::string& right = b.get("version").text();
    const std::int64_t first = priority_in(remote.version_priorities, api_version(group, left));
    const std::int64_t second = priority_in(remote.version_priorities, api_version(group, right));
    return first == second ? is_preferred_version(left, right) : first > second;
  });
}

/// A version of an aggregated API replaces the server's own.
void add_version(Json& entry, const RemoteVersion& added, const GroupForm& form,
                 const RemoteApis& remote) {
  Json& versions = entry["versions"];
  std::erase_if(versions.make_array(),
                [&](const Json& each) { return each.get("version").text() == added.version; });
  versions.push_back(form.version(added));
  sort_versions(versions, added.group, remote);
}

Json group_version(const RemoteVersion& of) {
  return Json::object(
      {{"groupVersion", api_version(of.group, of.version)}, {"version", of.version}});
}

const GroupForm kLegacyForm{
    .name = [](const Json& item) { return item.get("name").text(); },
    .make =
        [](const std::string& group) {
          return Json::object({{"name", group}});
        },
    .version = group_version,
};
const GroupForm kAggregatedForm{
    .name =
        [](const Json& item) {
          return item.text_at({"metadata", "name"});
        },
    .make =
        [](const std::string& group) {
          return Json::object({{"metadata", Json::object({{"name", group}})}});
        },
    .version = [](const RemoteVersion& of) { return of.discovery; },
};

/// Whether `versions` has one of this name.
bool has_version(const Json& versions, std::string_view name) {
  return std::ranges::any_of(
      versions.items(), [name](const Json& each) { return each.get("version").text() == name; });
}

void add_remote(Json& items, const GroupForm& form, const RemoteApis& remote) {
  for (const RemoteVersion& each : remote.versions) {
    add_version(entry_of(items, each.group, form, remote), each, form, remote);
  }
}

void set_preferred(Json& entry) {
  entry.set("preferredVersion", entry.get("versions").items().front());
}

Json kind_of(const Json& resource) {
  return Json::object({{"group", resource.get("group").text()},
                       {"version", resource.get("version").text()},
                       {"kind", resource.get("kind").text()}});
}

Json no_kind() { return Json::object({{"group", ""}, {"version", ""}, {"kind", ""}}); }

std::string_view scope_of(const Json& resource) {
  return resource.get("namespaced").boolean() ? "Namespaced" : "Cluster";
}

Json whole_resource(const Json& resource) {
  Json out = Json::object({{"resource", resource.get("name").text()},
                           {"responseKind", kind_of(resource)},
                           {"scope", scope_of(resource)},
                           {"singularResource", resource.get("singularName").text()},
                           {"verbs", resource.get("verbs")}});
  for (const std::string_view each : {"shortNames", "categories"}) {
    if (!resource.get(each).empty()) out.set(each, resource.get(each));
  }
  return out;
}

Json* resource_in(Json& resources, std::string_view name) {
  for (Json& each : resources.make_array()) {
    if (each.get("resource").text() == name) return &each;
  }
  return nullptr;
}

/// Clients crash without the kinds of responses. k8s: kubernetes/kubernetes#118361.
void complete_kinds(Json& version) {
  for (Json& resource : version["resources"].make_array()) {
    if (!resource.get("responseKind").is_object()) resource.set("responseKind", no_kind());
    Json* const parts = resource.find("subresources");
    if (parts == nullptr) continue;
    for (Json& part : parts->make_array()) {
      if (!part.get("responseKind").is_object()) part.set("responseKind", no_kind());
    }
  }
}

}  // namespace

void remove_unregistered_groups(Json& groups, const RemoteApis& remote) {
  if (!remote.has_core) return;
  for (Json& each : groups.make_array()) {
    const std::string& group = each.get("name").text();
    if (group == kRegistrationGroup) continue;
    std::erase_if(each["versions"].make_array(), [&](const Json& version) {
      return !remote.version_priorities.contains(api_version(group, version.get("version").text()));
    });
  }
  std::erase_if(groups.make_array(), [](const Json& each) { return each.get("versions").empty(); });
}

void merge_groups(Json& groups, const RemoteApis& remote) {
  for (const RemoteVersion& each : remote.local) {
    if (each.group.empty()) continue;
    Json& entry = entry_of(groups, each.group, kLegacyForm, remote);
    if (has_version(entry.get("versions"), each.version)) continue;
    add_version(entry, each, kLegacyForm, remote);
  }
  add_remote(groups, kLegacyForm, remote);
  for (Json& each : groups.make_array()) set_preferred(each);
}

std::optional<Json> merge_group(std::optional<Json> own, std::string_view group,
                                const RemoteApis& remote) {
  if (!remote.group_priorities.contains(group)) return own;
  Json groups = Json::array();
  if (own) groups.push_back(*own);
  remove_unregistered_groups(groups, remote);
  merge_groups(groups, remote);
  for (Json& each : groups.make_array()) {
    if (each.get("name").text() != group) continue;
    Json out = Json::object({{"kind", "APIGroup"}, {"apiVersion", "v1"}});
    for (Json::Member& member : each.make_object()) out.set(member.key, std::move(member.value));
    return out;
  }
  return std::nullopt;
}

void merge_aggregated(Json& items, const RemoteApis& remote) {
  add_remote(items, kAggregatedForm, remote);
}

std::vector<std::shared_ptr<const Json>> openapi_v2_of(const RemoteApis& remote) {
  std::vector<const RemoteVersion*> found;
  for (const RemoteVersion& each : remote.versions) {
    if (each.openapi_v2 != nullptr) found.push_back(&each);
  }
  // The names of equals stay in their order.
  std::ranges::stable_sort(found, [&remote](const RemoteVersion* a, const RemoteVersion* b) {
    return priority_in(remote.group_priorities, a->group) >
           priority_in(remote.group_priorities, b->group);
  });
  std::vector<std::shared_ptr<const Json>> out;
  for (const RemoteVersion* each : found) out.push_back(each->openapi_v2);
  return out;
}

void merge_openapi_index(Json& index, const RemoteApis& remote) {
  for (const RemoteVersion& each : remote.versions) {
    const std::string path = "apis/" + api_version(each.group, each.version);
    index["paths"].erase(path);
    if (each.openapi.empty()) continue;
    index["paths"].set(path, Json::object({{"serverRelativeURL", each.openapi}}));
  }
}

std::optional<Json> discovery_of_list(const Json& list) {
  Json out = Json::array();
  const Json::Items& all = list.get("resources").items();
  for (const Json& each : all) {
    if (each.get("name").text().find('/') == std::string::npos) out.push_back(whole_resource(each));
  }
  for (const Json& each : all) {
    const std::string& name = each.get("name").text();
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) continue;
    const std::string parent = name.substr(0, slash);
    Json* resource = resource_in(out, parent);
    if (resource == nullptr) {
      resource = &out.push_back(Json::object({{"resource", parent},
                                              {"responseKind", no_kind()},
                                              {"scope", scope_of(each)},
                                              {"singularResource", ""},
                                              {"verbs", Json()}}));
    }
    if (resource->get("scope").text() != scope_of(each)) return std::nullopt;
    (*resource)["subresources"].push_back(
        Json::object({{"subresource", name.substr(slash + 1)},
                      {"responseKind", each.get("kind").text().empty() ? no_kind() : kind_of(each)},
                      {"verbs", each.get("verbs")}}));
  }
  return out;
}

std::optional<Json> version_in(const Json& list, std::string_view group, std::string_view version) {
  for (const Json& item : list.get("items").items()) {
    if (item.text_at({"metadata", "name"}) != group) continue;
    for (const Json& each : item.get("versions").items()) {
      if (each.get("version").text() != version) continue;
      Json out = each;
      complete_kinds(out);
      return out;
    }
  }
  return std::nullopt;
}

}  // namespace davit::sandbox
