#include "host/api/expected_kind.hpp"

#include <algorithm>
#include <array>
#include <davit/mutant.hpp>
#include <utility>

#include "host/api/discovery.hpp"
#include "lib/base/lower_case.hpp"

namespace davit::host {
namespace {

constexpr std::array<std::string_view, 25> kBuiltInGroups = {
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "settings.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
};
constexpr std::string_view kListSuffix = "List";

/// meta.UnsafeGuessKindToResource, which holds for every built-in kind.
std::string plural_of(std::string_view kind) {
  std::string out = lower_case(std::string(kind));
  if (out == "endpoints") return out;
  if (out.ends_with('s')) return out + "es";
  if (!out.ends_with('y')) return out + "s";
  out.pop_back();
  return out + "ies";
}

/// Whether the server computes the objects of a built-in resource at each request.
bool is_computed(std::string_view resource) {
  return resource == "componentstatuses" || resource == "bindings" || resource.ends_with("reviews");
}

const ApiCatalog::Version* find_version(const ApiCatalog* catalog, std::string_view group,
                                        std::string_view api_version) {
  const ApiCatalog::Group* const found = catalog == nullptr ? nullptr : catalog->group(group);
  if (found == nullptr) return nullptr;
  for (const ApiCatalog::Version& each : found->versions) {
    if (api_version.ends_with("/" + each.version) && each.error.ok()) return &each;
  }
  return nullptr;
}

}  // namespace

bool is_built_in_group(std::string_view group) {
  return std::find(kBuiltInGroups.begin(), kBuiltInGroups.end(), group) != kBuiltInGroups.end();
}

ExpectedKind::ExpectedKind(const Resource& of, Form form, std::shared_ptr<const ApiCatalog> catalog)
    : group_(of.group),
      api_version_(of.group.empty() ? std::string(of.version)
                                    : std::string(of.group) + '/' + std::string(of.version)),
      resource_(of.resource),
      form_(form),
      is_built_in_(is_built_in_group(of.group)),
      catalog_(std::move(catalog)) {
  is_stored_ = form == Form::kMetadata || (is_built_in_ && !is_computed(of.resource));
  if (is_built_in_) return;
  const ApiCatalog::Version* const version = find_version(catalog_.get(), group_, api_version_);
  if (version == nullptr) return;
  for (const ResourceInfo& each : version->resources) {
    if (each.resource != resource_) continue;
    kind_ = each.kind;
    is_stored_ = is_stored_ || each.has_verb("watch");
  }
}

bool ExpectedKind::is_metadata(std::string_view api_version, std::string_view kind,
                               std::string_view wanted) const {
  return form_ == Form::kMetadata && kind == wanted &&
         (api_version == "meta.k8s.io/v1" || api_version == "meta.k8s.io/v1beta1");
}

bool ExpectedKind::is_kind(std::string_view kind) const {
  if (kind.empty() || kind == "Status") return false;
  if (is_built_in_) return plural_of(kind) == resource_;
  return kind_.empty() || kind == kind_;
}

bool ExpectedKind::is_other_kind(std::string_view kind) const {
  const ApiCatalog::Version* const version = find_version(catalog_.get(), group_, api_version_);
  if (version == nullptr) return false;
  const auto is_other = [&](const ResourceInfo& each) {
    return each.resource != resource_ && each.kind == kind;
  };
  return std::any_of(version->resources.begin(), version->resources.end(), is_other);
}

bool ExpectedKind::is_object(std::string_view api_version, std::string_view kind) const {
  if (mutant("body-kind")) return true;
  if (is_metadata(api_version, kind, "PartialObjectMetadata")) return true;
  return api_version == api_version_ && is_kind(kind);
}

bool ExpectedKind::is_list(std::string_view api_version, std::string_view kind) const {
  if (mutant("list-kind")) return true;
  if (is_metadata(api_version, kind, "PartialObjectMetadataList")) return true;
  if (api_version != api_version_ || kind.empty() || kind == "Status") return false;
  std::string_view item = kind;
  if (item.ends_with(kListSuffix)) item.remove_suffix(kListSuffix.size());
  if (is_built_in_) return item != kind && is_kind(item);
  // An aggregated server may name the list itself as the kind of the resource.
  return kind == kind_ || item == kind_ || !is_other_kind(item);
}

std::string ExpectedKind::text() const {
  return (kind_.empty() ? resource_ : kind_) + " of " + api_version_;
}

}  // namespace davit::host
