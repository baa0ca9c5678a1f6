#include "plugins/garbagecollector/resource_plan.hpp"

#include <set>
#include <utility>

namespace davit::garbage {
namespace {

/// Events are many, live for an hour and own nothing.
bool is_ignored(const ResourceId& id) {
  return id.resource == "events" && (id.group.empty() || id.group == "events.k8s.io");
}

bool is_malformed(const ResourceId& id) {
  return id.version.find('/') != std::string::npos || id.group.find('/') != std::string::npos;
}

}  // namespace

ResourceSet plan_resources(const Offer& offer, const ResourceSet& known) {
  ResourceSet out;
  std::set<std::pair<std::string, std::string>> seen;
  for (const OfferedResource& each : offer.resources) {
    const bool is_first = seen.emplace(each.id.group, each.id.resource).second;
    if (!is_first || !each.can_be_followed) continue;
    if (!is_ignored(each.id) && !is_malformed(each.id)) out.emplace(each.id, each.kind);
  }
  for (const auto& [id, kind] : known) {
    if (offer.unknown.contains({id.group, id.version})) out.emplace(id, kind);
  }
  return out;
}

std::vector<const ResourceSet::value_type*> opening_order(const ResourceSet& resources) {
  return offer::built_in_first(resources,
                               [](const auto& each) -> const ResourceId& { return each.first; });
}

}  // namespace davit::garbage
