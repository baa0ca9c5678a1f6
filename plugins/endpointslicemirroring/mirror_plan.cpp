#include "plugins/endpointslicemirroring/mirror_plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace davit::endpointslicemirroring {
namespace {

using endpoint::IpFamily;
using endpoint::SliceEndpoint;

std::vector<SliceEndpoint> endpoints_of(const EndpointSlice& slice) {
  std::vector<SliceEndpoint> out;
  for (const Value each : slice.endpoints().elements()) out.push_back(SliceEndpoint::read(each));
  return out;
}

/// Counts what a slice lacks, what differs in it, and what it has too much. Whether there is
/// anything.
bool count_differences(const std::vector<SliceEndpoint>& stored,
                       const std::vector<SliceEndpoint>& wanted, MirrorPlan& plan) {
  std::unordered_map<std::string, const SliceEndpoint*> present;
  for (const SliceEndpoint& each : stored) present[each.identity()] = &each;
  std::size_t added = 0;
  std::size_t updated = 0;
  for (const SliceEndpoint& each : wanted) {
    const auto found = present.find(each.identity());
    if (found == present.end()) {
      ++added;
      continue;
    }
    if (!found->second->same_state(each)) ++updated;
    present.erase(found);
  }
  plan.endpoints_added += added;
  plan.endpoints_updated += updated;
  plan.endpoints_removed += present.size();
  return added + updated + present.size() > 0;
}

void plan_group(const Endpoints& endpoints, const MirrorGroup& group,
                const std::vector<SliceEndpoint>& wanted, std::vector<EndpointSlice> stored,
                MirrorPlan& plan) {
  if (wanted.empty()) {
    for (const EndpointSlice& each : stored) plan.endpoints_removed += each.endpoints().count();
  } else if (stored.empty()) {
    plan.endpoints_added += wanted.size();
    plan.create.push_back({.group = group, .endpoints = wanted});
  } else {
    const EndpointSlice first = stored.front();
    stored.erase(stored.begin());
    const bool differs = count_differences(endpoints_of(first), wanted, plan);
    if (!differs && has_metadata_of(first, endpoints)) {
      plan.kept.push_back(first);
    } else {
      plan.update.push_back(
          {.name = std::string(first.name()), .group = group, .endpoints = wanted});
    }
  }
  plan.remove.insert(plan.remove.end(), stored.begin(), stored.end());
}

void reuse_names(MirrorPlan& plan) {
  std::vector<MirroredSlice> nameless;
  for (MirroredSlice& each : plan.create) {
    const auto free =
        std::find_if(plan.remove.begin(), plan.remove.end(), [&each](const EndpointSlice& slice) {
          return ip::family_of(slice.address_type()) == each.group.first;
        });
    if (free == plan.remove.end()) {
      nameless.push_back(std::move(each));
      continue;
    }
    each.name = free->name();
    plan.update.push_back(std::move(each));
    plan.remove.erase(free);
  }
  plan.create = std::move(nameless);
}

}  // namespace

MirrorPlan plan_mirror(const Endpoints& endpoints, std::span<const EndpointSlice> stored,
                       const WantedMirror& wanted, std::size_t endpoints_max) {
  MirrorPlan plan;
  std::map<MirrorGroup, std::vector<EndpointSlice>> by_group;
  for (const EndpointSlice& each : stored) {
    const std::optional<IpFamily> family = ip::family_of(each.address_type());
    if (family) {
      by_group[{*family, endpoint::as_group(endpoint::read_slice_ports(each.ports()))}].push_back(
          each);
    } else {
      plan.remove.push_back(each);
    }
  }
  for (const auto& [group, endpoints_wanted] : wanted.groups) {
    plan.endpoints_wanted += endpoints_wanted.size();
    plan.slices_least += (endpoints_wanted.size() + endpoints_max - 1) / endpoints_max;
    const auto present = by_group.extract(group);
    plan_group(endpoints, group, endpoints_wanted,
               present ? present.mapped() : std::vector<EndpointSlice>(), plan);
  }
  for (const auto& [group, slices] : by_group) {
    plan.remove.insert(plan.remove.end(), slices.begin(), slices.end());
  }
  plan.slices = stored.size() + plan.create.size() - plan.remove.size();
  reuse_names(plan);
  return plan;
}

}  // namespace davit::endpointslicemirroring
