/// The resources of the graph. Pure; client-go/discovery ServerPreferredResources and
/// kubernetes:pkg/controller/garbagecollector GetDeletableResources.
#pragma once

#include <compare>
#include <davit/discovery.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace davit::garbage {

/// A resource in one version.
struct ResourceId {
  std::string group;  ///< Empty: core.
  std::string version;
  std::string resource;

  /// "apps/v1", "v1".
  [[nodiscard]] std::string api_version() const {
    return group.empty() ? version : group + "/" + version;
  }
  friend auto operator<=>(const ResourceId&, const ResourceId&) = default;
};

/// One resource of a catalog, apart from the host's memory.
struct OfferedResource {
  ResourceId id;
  std::string kind;
  bool can_be_collected = false;  ///< Has the verbs delete, list and watch.
};

/// A catalog, apart from the host's memory. The preferred version of a group comes first.
struct Offer {
  std::vector<OfferedResource> resources;
  /// Group and version of which the server could not say what it has.
  std::set<std::pair<std::string, std::string>> unknown;
};

[[nodiscard]] Offer read_offer(const ServedCatalog& catalog);

/// Asks the server what it has.
using Discover = std::function<Result<Offer>()>;

/// Each resource to follow, with its kind.
using ResourceSet = std::map<ResourceId, std::string>;

/// One version of each resource that can be collected, without Events: the preferred one that has
/// it, else the first. What is in `known` and unknown to the server now stays.
[[nodiscard]] ResourceSet plan_resources(const Offer& offer, const ResourceSet& known);

}  // namespace davit::garbage
