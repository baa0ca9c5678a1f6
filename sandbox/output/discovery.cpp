#include "sandbox/output/discovery.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <charconv>
#include <davit/base64.hpp>
#include <davit/fnv.hpp>
#include <davit/hex.hpp>
#include <tuple>
#include <vector>

#include "lib/net/accept.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kDiscoveryGroup = "apidiscovery.k8s.io";
constexpr std::string_view kAggregatedKind = "APIGroupDiscoveryList";
constexpr std::string_view kDiscoveryType = "application/json";

/// The resources of one group version, by name.
struct VersionList {
  std::string_view version;
  std::vector<const Resource*> resources;
};
struct GroupList {
  std::string_view group;
  std::vector<VersionList> versions;  ///< The preferred one first.
};

template <typename List, typename Field>
typename List::value_type& entry_of(List& list, Field field, std::string_view value) {
  for (auto& each : list) {
    if (each.*field == value) return each;
  }
  auto& made = list.emplace_back();
  made.*field = value;
  return made;
}

std::vector<GroupList> grouped(std::span<const ResourcePtr> resources) {
  std::vector<GroupList> out;
  for (const ResourcePtr& each : resources) {
    GroupList& group = entry_of(out, &GroupList::group, each->group);
    entry_of(group.versions, &VersionList::version, each->version).resources.push_back(each.get());
  }
  for (GroupList& group : out) {
    std::stable_sort(group.versions.begin(), group.versions.end(),
                     [](const VersionList& a, const VersionList& b) {
                       return is_preferred_version(a.version, b.version);
                     });
    for (VersionList& version : group.versions) {
      std::sort(version.resources.begin(), version.resources.end(),
                [](const Resource* a, const Resource* b) { return a->name < b->name; });
    }
  }
  return out;
}

Json texts(const std::vector<std::string>& list) {
  Json out = Json::array();
  for (const std::string& each : list) out.push_back(Json(each));
  return out;
}

void add_texts(Json& out, std::string_view key, const std::vector<std::string>& list) {
  if (!list.empty()) out[key] = texts(list);
}

Json response_kind(std::string_view group, std::string_view version, std::string_view kind) {
  return Json::object({{"group", group}, {"version", version}, {"kind", kind}});
}

Json aggregated_resource(const Resource& resource) {
  Json out = Json::object({{"resource", resource.name},
                           {"responseKind", response_kind("", "", resource.kind)},
                           {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
                           {"singularResource", resource.singular},
                           {"verbs", texts(resource.verbs)}});
  add_texts(out, "shortNames", resource.short_names);
  add_texts(out, "categories", resource.categories);
  for (const Subresource& each : resource.subresources) {
    const bool own = !each.kind.empty();
    out["subresources"].push_back(
        Json::object({{"subresource", each.name},
                      {"responseKind", response_kind(own ? each.group : "", own ? each.version : "",
                                                     own ? each.kind : resource.kind)},
                      {"verbs", texts(each.verbs)}}));
  }
  return out;
}

Json group_version(std::string_view group, std::string_view version) {
  return Json::object(
      {{"groupVersion", std::string(group) + '/' + std::string(version)}, {"version", version}});
}

/// An APIGroup without kind and apiVersion, as the list holds it.
Json group_entry(const GroupList& group) {
  Json out = Json::object({{"name", group.group}});
  for (const VersionList& each : group.versions) {
    out["versions"].push_back(group_version(group.group, each.version));
  }
  out["preferredVersion"] = group_version(group.group, group.versions.front().version);
  return out;
}

/// A built-in resource whose objects are stored in another version.
struct StoredElsewhere {
  std::string_view api_version;
  std::string_view resource;
  std::string_view stored;  // "GROUP/VERSION", of core "/VERSION"
};
/// As the hashes of v1.36 show; definitions are stored as v1, but their hash is that of v1beta1.
constexpr StoredElsewhere kStoredElsewhere[] = {
    {"events.k8s.io/v1", "events", "/v1"},
    {"autoscaling/v1", "horizontalpodautoscalers", "autoscaling/v2"},
    {"admissionregistration.k8s.io/v1", "mutatingadmissionpolicies",
     "admissionregistration.k8s.io/v1beta1"},
    {"admissionregistration.k8s.io/v1", "mutatingadmissionpolicybindings",
     "admissionregistration.k8s.io/v1beta1"},
    {"apiextensions.k8s.io/v1", "customresourcedefinitions", "apiextensions.k8s.io/v1beta1"},
};

/// The hash by which clients see that the stored version has changed; empty: never stored
/// (k8s.io/apiserver/pkg/endpoints/discovery/storageversionhash.go).
std::string storage_version_hash(const Resource& resource) {
  const bool is_stored = std::ranges::find(resource.verbs, "create") != resource.verbs.end() &&
                         std::ranges::find(resource.verbs, "get") != resource.verbs.end();
  if (!is_stored) return "";
  std::string stored = resource.group + '/' + resource.version;
  if (!resource.stored_version.empty()) stored = resource.group + '/' + resource.stored_version;
  for (const StoredElsewhere& each : kStoredElsewhere) {
    const bool is_it = each.api_version == resource.api_version() && each.resource == resource.name;
    if (is_it) stored = each.stored;
  }
  const std::string text = stored + '/' + resource.kind;
  unsigned char sum[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum);
  constexpr std::size_t kShown = 8;
  return encode_base64({reinterpret_cast<const char*>(sum), kShown});
}

Json legacy_resource(const Resource& resource) {
  Json out = Json::object({{"name", resource.name},
                           {"singularName", resource.singular},
                           {"namespaced", resource.namespaced},
                           {"kind", resource.kind},
                           {"verbs", texts(resource.verbs)}});
  add_texts(out, "shortNames", resource.short_names);
  add_texts(out, "categories", resource.categories);
  if (std::string hash = storage_version_hash(resource); !hash.empty()) {
    out["storageVersionHash"] = std::move(hash);
  }
  return out;
}

Json legacy_subresource(const Resource& resource, const Subresource& subresource) {
  Json out = Json::object({{"name", resource.name + '/' + subresource.name},
                           {"singularName", ""},
                           {"namespaced", resource.namespaced}});
  const bool foreign = !subresource.version.empty() && (subresource.group != resource.group ||
                                                        subresource.version != resource.version);
  if (foreign && !subresource.group.empty()) out["group"] = subresource.group;
  if (foreign) out["version"] = subresource.version;
  out["kind"] = subresource.kind.empty() ? resource.kind : subresource.kind;
  out["verbs"] = texts(subresource.verbs);
  return out;
}

/// GA before beta before alpha before anything else; then the larger number.
struct VersionRank {
  int stage = 0;
  int major = 0;
  int minor = 0;
};

bool take_number(std::string_view& text, int& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || text.starts_with('-')) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

VersionRank rank_of(std::string_view version) {
  VersionRank out;
  if (!version.starts_with('v')) return {};
  version.remove_prefix(1);
  if (!take_number(version, out.major)) return {};
  if (version.empty()) return {3, out.major, 0};
  const bool beta = version.starts_with("beta");
  if (!beta && !version.starts_with("alpha")) return {};
  version.remove_prefix(beta ? 4 : 5);
  if (!take_number(version, out.minor) || !version.empty()) return {};
  out.stage = beta ? 2 : 1;
  return out;
}

}  // namespace

bool is_preferred_version(std::string_view a, std::string_view b) {
  const VersionRank left = rank_of(a);
  const VersionRank right = rank_of(b);
  if (left.stage == 0 && right.stage == 0) return a < b;
  return std::tie(left.stage, left.major, left.minor) >
         std::tie(right.stage, right.major, right.minor);
}

ApiResult<DiscoveryForm> negotiate_discovery(std::string_view accept) {
  for (const AcceptEntry& entry : parse_accept(accept)) {
    if (!entry.takes(kDiscoveryType)) continue;
    if (entry.as.empty()) return DiscoveryForm{false, std::string(kDiscoveryType)};
    if (entry.as == kAggregatedKind && entry.group == kDiscoveryGroup && entry.version == "v2") {
      return DiscoveryForm{true, std::string(entry.text)};
    }
  }
  return not_acceptable(
      "only the following media types are accepted: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf");
}

Json aggregated_discovery(std::span<const ResourcePtr> resources, DiscoveryRoot root) {
  Json out = Json::object({{"kind", kAggregatedKind},
                           {"apiVersion", "apidiscovery.k8s.io/v2"},
                           {"metadata", Json::object()},
                           {"items", Json::array()}});
  for (const GroupList& group : grouped(resources)) {
    if (group.group.empty() != (root == DiscoveryRoot::kCore)) continue;
    Json item = Json::object({{"metadata", Json::object()}});
    if (!group.group.empty()) item["metadata"]["name"] = group.group;
    for (const VersionList& each : group.versions) {
      Json version = Json::object({{"version", each.version}, {"resources", Json::array()}});
      for (const Resource* resource : each.resources) {
        version["resources"].push_back(aggregated_resource(*resource));
      }
      version["freshness"] = "Current";
      item["versions"].push_back(std::move(version));
    }
    out["items"].push_back(std::move(item));
  }
  return out;
}

Json api_versions(std::string_view server_address) {
  return Json::object({{"kind", "APIVersions"},
                       {"versions", Json::array({"v1"})},
                       {"serverAddressByClientCIDRs",
                        Json::array({Json::object(
                            {{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", server_address}})})}});
}

Json api_group_list(std::span<const ResourcePtr> resources) {
  Json out =
      Json::object({{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", Json::array()}});
  for (const GroupList& group : grouped(resources)) {
    if (!group.group.empty()) out["groups"].push_back(group_entry(group));
  }
  return out;
}

std::optional<Json> api_group(std::span<const ResourcePtr> resources, std::string_view group) {
  for (const GroupList& each : grouped(resources)) {
    if (each.group.empty() || each.group != group) continue;
    Json out = Json::object({{"kind", "APIGroup"}, {"apiVersion", "v1"}});
    Json entry = group_entry(each);
    for (Json::Member& member : entry.make_object()) {
      out.make_object().push_back(std::move(member));
    }
    return out;
  }
  return std::nullopt;
}

std::optional<Json> api_resource_list(std::span<const ResourcePtr> resources,
                                      std::string_view group, std::string_view version) {
  Json list = Json::array();
  std::string group_version;
  for (const GroupList& each : grouped(resources)) {
    if (each.group != group) continue;
    for (const VersionList& one : each.versions) {
      if (one.version != version) continue;
      for (const Resource* resource : one.resources) {
        group_version = resource->api_version();
        list.push_back(legacy_resource(*resource));
        for (const Subresource& subresource : resource->subresources) {
          list.push_back(legacy_subresource(*resource, subresource));
        }
      }
    }
  }
  if (group_version.empty()) return std::nullopt;
  Json out = Json::object({{"kind", "APIResourceList"}});
  if (!group.empty()) out["apiVersion"] = "v1";
  out["groupVersion"] = std::move(group_version);
  out["resources"] = std::move(list);
  return out;
}

std::string content_hash(std::string_view body) {
  // FNV-1a suffices: the tag has to detect changes, not attacks.
  return hex_number(fnv1a_64(body), 16, HexCase::kUpper);
}

std::string etag_of(std::string_view body) { return '"' + content_hash(body) + '"'; }

}  // namespace davit::sandbox
