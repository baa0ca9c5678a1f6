#include "nodes/device_pools.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "nodes/label_rules.hpp"

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

/// The devices of the slice that the node can have.
void add_offers(const Json& slice, const NodeCapacity& node, DevicePool& pool,
                std::set<std::string_view>& names) {
  const Json& spec = slice.get("spec");
  const bool by_device = spec.get("perDeviceNodeSelection").boolean();
  for (const Json& each : spec.get("devices").items()) {
    const std::string& name = each.get("name").text();
    if (!names.insert(name).second && pool.state == PoolState::kUsable) {
      pool.state = PoolState::kInvalid;
    }
    if (by_device && !reaches_node(each, node)) continue;
    pool.offers.push_back({&slice, &each, pool.id + "/" + name});
  }
}

/// The slices with counters, or with devices for the node, each pool's in its newest generation
/// there. Sorted by driver and then by the name of the pool.
using PoolsByName = std::map<PoolName, PoolSlices>;

PoolsByName slices_by_pool(const DeviceView& view, const NodeCapacity& node) {
  PoolsByName out;
  for (const Json* slice : view.slices_for(node.name)) {
    const bool has_counters = slice->get("spec").get("sharedCounters").size() > 0;
    if (!has_counters && !has_devices_for(*slice, node)) continue;
    PoolSlices& slices = out[pool_name(*slice)];
    const std::int64_t known = slices.empty() ? -1 : pool_generation(*slices.front());
    if (pool_generation(*slice) > known) slices.clear();
    if (pool_generation(*slice) >= known) slices.push_back(slice);
  }
  for (auto& [name, slices] : out) {
    std::sort(slices.begin(), slices.end(), [](const Json* a, const Json* b) {
      return a->text_at({"metadata", "name"}) < b->text_at({"metadata", "name"});
    });
  }
  return out;
}

/// Counters of a pool that is not whole may be missing.
void check_counters(const PoolSlices& slices, DevicePool& pool) {
  if (pool.state != PoolState::kUsable) return;
  if (!has_distinct_counter_sets(slices) || !has_all_counters(slices, pool.slices)) {
    pool.state = PoolState::kInvalid;
  }
}

bool has_conditions(const PoolSlices& slices) {
  return std::any_of(slices.begin(), slices.end(), [](const Json* slice) {
    const Json::Items& devices = slice->get("spec").get("devices").items();
    return std::any_of(devices.begin(), devices.end(),
                       [](const Json& each) { return each.get("bindingConditions").size() > 0; });
  });
}

}  // namespace

bool selects_node(const Json& node_selector, const NodeCapacity& node) {
  const Json affinity =
      Json::object({{"requiredDuringSchedulingIgnoredDuringExecution", node_selector}});
  return accepts_labels(Json::object({{"affinity", Json::object({{"nodeAffinity", affinity}})}}),
                        node.labels, node.name);
}

std::vector<DevicePool> pools_of(const DeviceView& view, const NodeCapacity& node) {
  std::vector<DevicePool> out;
  std::vector<DevicePool> last;  // Devices that need conditions are tried after all others.
  for (const auto& [name, slices] : slices_by_pool(view, node)) {
    DevicePool pool;
    pool.id = name.first + "/" + name.second;
    const Json* const count = slices.front()->at({"spec", "pool", "resourceSliceCount"});
    const auto has_count = [count](std::size_t published) {
      return count != nullptr && count->integer_or(0) == static_cast<std::int64_t>(published);
    };
    pool.slices = slices;
    // Slices for other nodes count only if those of this one are not all.
    if (!has_count(slices.size())) {
      DeviceView::WholePool whole = view.whole_pool(name);
      if (whole.generation > pool_generation(*slices.front())) continue;
      if (!has_count(whole.slices.size())) pool.state = PoolState::kIncomplete;
      pool.slices = std::move(whole.slices);
    }
    std::set<std::string_view> names;
    for (const Json* slice : slices) add_offers(*slice, node, pool, names);
    check_counters(slices, pool);
    const bool waits = pool.state != PoolState::kIncomplete && has_conditions(slices);
    (waits ? last : out).push_back(std::move(pool));
  }
  std::move(last.begin(), last.end(), std::back_inserter(out));
  return out;
}

}  // namespace davit::sandbox
