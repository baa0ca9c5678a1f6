/// The resources of the graph. Pure; client-go/discovery ServerPreferredResources and
/// kubernetes:pkg/controller/garbagecollector GetDeletableResources.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plugins/shared/offer/offer.hpp"

namespace davit::garbage {

using offer::Discover;
using offer::find_offer;
using offer::Freshness;
using offer::Offer;
using offer::OfferedResource;
using offer::ResourceId;

/// Each resource to follow, with its kind.
using ResourceSet = std::map<ResourceId, std::string>;

/// One version of each resource that can be collected, without Events: the preferred one that has
/// it, else the first. What is in `known` and unknown to the server now stays.
[[nodiscard]] ResourceSet plan_resources(const Offer& offer, const ResourceSet& known);

/// In the order in which informers are opened: Kubernetes' own kinds before all custom ones. Points
/// into `resources`.
[[nodiscard]] std::vector<const ResourceSet::value_type*> opening_order(
    const ResourceSet& resources);

}  // namespace davit::garbage
