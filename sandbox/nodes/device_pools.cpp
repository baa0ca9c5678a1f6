#include "sandbox/nodes/device_pools.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sandbox/nodes/label_rules.hpp"

namespace davit::sandbox {
namespace {

/// A slice's or a device's choice of nodes.
bool reaches_node(const Json& place, const NodeCapacity& node) {
  const std::string& name = place.get("nodeName").text();
  if (!name.empty()) return name == node.name;
  if (place.get("allNodes").boolean()) return true;
  return place.contains("nodeSelector") && selects_node(place.get("nodeSelector"), node);
}

bool has_devices_for(const Json& slice, const NodeCapacity& node) {
  const Json& spec = slice.get("spec");
  if (!spec.get("perDeviceNodeSelection").boolean()) return reaches_node(spec, node);
  const Json::Items& devices = spec.get("devices").items();
  return std::any_of(devices.begin(), devices.end(),
                     [&](const Json& each) { return reaches_node(each, node); });
}

/// The devices of the slice that the node can have. Those that take part of a shared device, or
/// need conditions before their use, are none: nothing here supports them.
void add_offers(const Json& slice, const NodeCapacity& node, DevicePool& pool,
                std::set<std::string_view>& names) {
  const Json& spec = slice.get("spec");
  const bool by_device = spec.get("perDeviceNodeSelection").boolean();
  for (const Json& each : spec.get("devices").items()) {
    const std::string& name = each.get("name").text();
    if (!names.insert(name).second) pool.state = PoolState::kInvalid;
    if (by_device && !reaches_node(each, node)) continue;
    if (each.get("consumesCounters").size() > 0 || each.get("bindingConditions").size() > 0) {
      continue;
    }
    pool.offers.push_back({&slice, &each, pool.id + "/" + name});
  }
}

/// All slices of the pool in the newest generation anywhere, and that generation.
struct WholePool {
  std::int64_t generation = 0;
  std::int64_t slices = 0;
};
using WholePools = std::map<std::string, WholePool>;

std::string pool_id(const Json& slice) {
  return slice.text_at({"spec", "driver"}) + "/" + slice.text_at({"spec", "pool", "name"});
}

/// Counted over all nodes, for the pools of `wanted` only.
void count_slices(const DeviceView& view, WholePools& wanted) {
  for (const auto& [name, slice] : view.all(DeviceKind::kSlice)) {
    const auto found = wanted.find(pool_id(slice));
    if (found == wanted.end()) continue;
    const std::int64_t generation = pool_generation(slice);
    WholePool& whole = found->second;
    if (generation > whole.generation) whole = {generation, 0};
    if (generation == whole.generation) ++whole.slices;
  }
}

}  // namespace

bool selects_node(const Json& node_selector, const NodeCapacity& node) {
  const Json affinity =
      Json::object({{"requiredDuringSchedulingIgnoredDuringExecution", node_selector}});
  return accepts_labels(Json::object({{"affinity", Json::object({{"nodeAffinity", affinity}})}}),
                        node.labels, node.name);
}

std::vector<DevicePool> pools_of(const DeviceView& view, const NodeCapacity& node) {
  std::map<std::string, std::vector<const Json*>> by_pool;
  for (const Json* slice : view.slices_for(node.name)) {
    if (!has_devices_for(*slice, node)) continue;
    std::vector<const Json*>& slices = by_pool[pool_id(*slice)];
    const std::int64_t known = slices.empty() ? -1 : pool_generation(*slices.front());
    if (pool_generation(*slice) > known) slices.clear();
    if (pool_generation(*slice) >= known) slices.push_back(slice);
  }
  // Slices for other nodes count only if those of this one are not all.
  WholePools partial;
  for (const auto& [id, slices] : by_pool) {
    const Json* const count = slices.front()->at({"spec", "pool", "resourceSliceCount"});
    if (count == nullptr || count->integer_or(0) != static_cast<std::int64_t>(slices.size())) {
      partial.emplace(id, WholePool{});
    }
  }
  if (!partial.empty()) count_slices(view, partial);
  std::vector<DevicePool> out;
  for (const auto& [id, slices] : by_pool) {
    DevicePool pool;
    pool.id = id;
    if (const auto found = partial.find(id); found != partial.end()) {
      const WholePool& whole = found->second;
      if (whole.generation > pool_generation(*slices.front())) continue;
      const Json* const count = slices.front()->at({"spec", "pool", "resourceSliceCount"});
      if (count == nullptr || count->integer_or(0) != whole.slices) {
        pool.state = PoolState::kIncomplete;
      }
    }
    std::set<std::string_view> names;
    for (const Json* slice : slices) add_offers(*slice, node, pool, names);
    out.push_back(std::move(pool));
  }
  return out;
}

}  // namespace davit::sandbox
