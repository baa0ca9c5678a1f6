#include "host/api/discovery_document.hpp"

#include <rapidjson/document.h>

#include <algorithm>
#include <davit/mutant.hpp>
#include <string>
#include <utility>

#include "host/config/names.hpp"
#include "lib/base/take_until.hpp"
#include "lib/base/trimmed.hpp"

namespace davit::host {
namespace {

using Json = rapidjson::Value;

std::string text(const Json& object, const char* member) {
  if (!object.IsObject()) return {};
  const auto found = object.FindMember(member);
  if (found == object.MemberEnd() || !found->value.IsString()) return {};
  return {found->value.GetString(), found->value.GetStringLength()};
}

// The elements of an array member; none if there is no such array.
std::vector<const Json*> elements(const Json& object, const char* member) {
  std::vector<const Json*> out;
  if (!object.IsObject()) return out;
  const auto found = object.FindMember(member);
  if (found == object.MemberEnd() || !found->value.IsArray()) return out;
  for (const Json& each : found->value.GetArray()) out.push_back(&each);
  return out;
}

// The member, or null.
const Json* member(const Json& object, const char* name) {
  if (!object.IsObject()) return nullptr;
  const auto found = object.FindMember(name);
  return found == object.MemberEnd() ? nullptr : &found->value;
}

// The text at two names below `object`.
std::string text(const Json& object, const char* outer, const char* inner) {
  const Json* const found = member(object, outer);
  return found == nullptr ? std::string() : text(*found, inner);
}

std::vector<std::string> strings(const Json& object, const char* name) {
  std::vector<std::string> out;
  for (const Json* each : elements(object, name)) {
    if (each->IsString()) out.emplace_back(each->GetString(), each->GetStringLength());
  }
  return out;
}

/// `list`: the member that every such document has, perhaps as null.
Status parse(std::string_view json, const char* kind, const char* list, rapidjson::Document& out) {
  out.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(json.data(),
                                                                                    json.size());
  if (out.HasParseError() || !out.IsObject()) {
    return {Code::kUnavailable, "the server's discovery document is not a JSON object"};
  }
  if (text(out, "kind") != kind) {
    return {Code::kUnavailable, "the server's discovery document is a \"" + text(out, "kind") +
                                    "\", not a \"" + kind + "\""};
  }
  const Json* const found = member(out, list);
  if ((found == nullptr || !(found->IsArray() || found->IsNull())) && !mutant("discovery-list")) {
    return {Code::kUnavailable, std::string("the server's ") + kind + " has no " + list};
  }
  return {};
}

ResourceInfo read_aggregated_resource(const Json& json, const std::string& group,
                                      const std::string& version) {
  ResourceInfo out;
  out.group = group;
  out.version = version;
  out.resource = text(json, "resource");
  out.kind = text(json, "responseKind", "kind");
  out.singular = text(json, "singularResource");
  out.scope = text(json, "scope") == "Namespaced" ? Scope::kNamespaced : Scope::kCluster;
  out.verbs = strings(json, "verbs");
  out.short_names = strings(json, "shortNames");
  for (const Json* sub : elements(json, "subresources")) {
    out.subresources.push_back(text(*sub, "subresource"));
  }
  return out;
}

ApiCatalog::Version read_aggregated_version(const Json& json, const std::string& group) {
  ApiCatalog::Version out;
  out.version = text(json, "version");
  if (text(json, "freshness") == "Stale") {
    out.error =
        Status(Code::kUnavailable, "stale GroupVersion discovery: " + group + "/" + out.version);
    return out;
  }
  for (const Json* resource : elements(json, "resources")) {
    ResourceInfo read = read_aggregated_resource(*resource, group, out.version);
    // Only its subresources are served, as client-go reads it. Metrics are such subresources, and
    // their group is served as soon as it has one.
    const bool counts = !read.kind.empty() || is_metrics_group(group);
    if (counts) out.resources.push_back(std::move(read));
  }
  return out;
}

}  // namespace

bool is_aggregated(std::string_view content_type) {
  bool list = false;
  bool group = false;
  while (!content_type.empty()) {
    const std::string_view part = trimmed(take_until(content_type, ";"));
    list = list || part == "as=APIGroupDiscoveryList";
    group = group || part == "g=apidiscovery.k8s.io";
  }
  return list && group;
}

Result<std::vector<ApiCatalog::Group>> read_aggregated(std::string_view json) {
  rapidjson::Document document;
  if (Status s = parse(json, "APIGroupDiscoveryList", "items", document); !s.ok()) return s;
  std::vector<ApiCatalog::Group> out;
  for (const Json* item : elements(document, "items")) {
    ApiCatalog::Group group;
    group.name = text(*item, "metadata", "name");
    for (const Json* version : elements(*item, "versions")) {
      group.versions.push_back(read_aggregated_version(*version, group.name));
    }
    // The first fresh version is the preferred one.
    std::stable_partition(group.versions.begin(), group.versions.end(),
                          [](const ApiCatalog::Version& each) { return each.error.ok(); });
    out.push_back(std::move(group));
  }
  return out;
}

Result<ApiCatalog::Group> read_core_versions(std::string_view json) {
  rapidjson::Document document;
  if (Status s = parse(json, "APIVersions", "versions", document); !s.ok()) return s;
  ApiCatalog::Group out;
  for (std::string& version : strings(document, "versions")) {
    out.versions.push_back({std::move(version), Status(), {}});
  }
  return out;
}

Result<std::vector<ApiCatalog::Group>> read_groups(std::string_view json) {
  rapidjson::Document document;
  if (Status s = parse(json, "APIGroupList", "groups", document); !s.ok()) return s;
  std::vector<ApiCatalog::Group> out;
  for (const Json* each : elements(document, "groups")) {
    ApiCatalog::Group group;
    group.name = text(*each, "name");
    const std::string preferred = text(*each, "preferredVersion", "version");
    for (const Json* version : elements(*each, "versions")) {
      group.versions.push_back({text(*version, "version"), Status(), {}});
    }
    std::stable_partition(group.versions.begin(), group.versions.end(),
                          [&](const ApiCatalog::Version& v) { return v.version == preferred; });
    out.push_back(std::move(group));
  }
  return out;
}

Result<std::vector<ResourceInfo>> read_resources(std::string_view json, std::string_view group,
                                                 std::string_view version) {
  rapidjson::Document document;
  if (Status s = parse(json, "APIResourceList", "resources", document); !s.ok()) return s;
  const std::string wanted =
      group.empty() ? std::string(version) : std::string(group) + '/' + std::string(version);
  const std::string found = text(document, "groupVersion");
  if (!found.empty() && found != wanted) {
    return Status(Code::kUnavailable,
                  "the server's APIResourceList is of " + found + ", not of " + wanted);
  }
  std::vector<ResourceInfo> out;
  const std::vector<const Json*> items = elements(document, "resources");
  for (const Json* item : items) {
    ResourceInfo info;
    info.group = group;
    info.version = version;
    info.resource = text(*item, "name");
    if (info.resource.find('/') != std::string::npos) continue;
    info.kind = text(*item, "kind");
    info.singular = text(*item, "singularName");
    const Json* const namespaced = member(*item, "namespaced");
    info.scope =
        namespaced != nullptr && namespaced->IsTrue() ? Scope::kNamespaced : Scope::kCluster;
    info.verbs = strings(*item, "verbs");
    info.short_names = strings(*item, "shortNames");
    out.push_back(std::move(info));
  }
  // "deployments/scale" is a resource of its own in this document.
  for (const Json* item : items) {
    const std::string name = text(*item, "name");
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) continue;
    const std::string parent = name.substr(0, slash);
    if (is_metrics_group(group) &&
        std::ranges::find(out, parent, &ResourceInfo::resource) == out.end()) {
      // "pods/hits" alone: as in the aggregated document.
      ResourceInfo info;
      info.group = group;
      info.version = version;
      info.resource = parent;
      out.push_back(std::move(info));
    }
    for (ResourceInfo& info : out) {
      if (info.resource == parent) info.subresources.push_back(name.substr(slash + 1));
    }
  }
  return out;
}

}  // namespace davit::host
