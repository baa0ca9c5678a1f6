#include "plugins/garbagecollector/resource_plan.hpp"

#include <algorithm>

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

Offer read_offer(const ServedCatalog& catalog) {
  constexpr std::string_view kNeeded[] = {"delete", "list", "watch"};
  Offer out;
  for (const ServedResource& each : catalog.resources) {
    const bool can_be_collected =
        std::all_of(std::begin(kNeeded), std::end(kNeeded),
                    [&each](std::string_view verb) { return each.has_verb(verb); });
    out.resources.push_back(
        {{std::string(each.group()), std::string(each.version()), std::string(each.resource())},
         std::string(each.kind()),
         can_be_collected});
  }
  for (const UnknownVersion& each : catalog.unknown) out.unknown.emplace(each.group, each.version);
  return out;
}

ResourceSet plan_resources(const Offer& offer, const ResourceSet& known) {
  ResourceSet out;
  std::set<std::pair<std::string, std::string>> seen;
  for (const OfferedResource& each : offer.resources) {
    const bool is_first = seen.emplace(each.id.group, each.id.resource).second;
    if (!is_first || !each.can_be_collected) continue;
    if (!is_ignored(each.id) && !is_malformed(each.id)) out.emplace(each.id, each.kind);
  }
  for (const auto& [id, kind] : known) {
    if (offer.unknown.contains({id.group, id.version})) out.emplace(id, kind);
  }
  return out;
}

}  // namespace davit::garbage
