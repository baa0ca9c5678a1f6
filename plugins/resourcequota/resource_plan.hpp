/// The resources that a quota may count. Pure; client-go/discovery
/// ServerPreferredNamespacedResources and kubernetes:pkg/quota/v1/install.
#pragma once

#include <set>
#include <vector>

#include "plugins/shared/offer/offer.hpp"

namespace davit::resourcequota {

using offer::Discover;
using offer::find_offer;
using offer::Freshness;
using offer::Offer;
using offer::OfferedResource;
using offer::ResourceId;

using ResourceSet = std::set<ResourceId>;

/// One version of each resource whose objects are counted: the preferred one that has it, else the
/// first. What is in `known` and unknown to the server now stays.
/// Rule: docs/spec/resourcequota.md, section 3.
[[nodiscard]] ResourceSet plan_resources(const Offer& offer, const ResourceSet& known);

/// In the order in which informers are opened: Kubernetes' own kinds before all custom ones. Points
/// into `resources`.
[[nodiscard]] std::vector<const ResourceId*> opening_order(const ResourceSet& resources);

}  // namespace davit::resourcequota
