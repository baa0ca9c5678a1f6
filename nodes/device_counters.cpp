#include "nodes/device_counters.hpp"

#include <algorithm>
#include <set>

namespace davit::sandbox {
namespace {

Quantity value_of(const Json& counter) {
  return Quantity::parse(counter.get("value").text()).value_or(Quantity());
}

/// Calls `visit(set, counter, value)` for all that the device takes.
template <typename Visit>
void for_consumed(const Json& device, const Visit& visit) {
  for (const Json& each : device.get("consumesCounters").items()) {
    for (const Json::Member& counter : each.get("counters").members()) {
      visit(each.get("counterSet").text(), counter.key, counter.value);
    }
  }
}

template <typename Visit>
void for_sets(const PoolSlices& slices, const Visit& visit) {
  for (const Json* slice : slices) {
    for (const Json& each : slice->get("spec").get("sharedCounters").items()) visit(each);
  }
}

}  // namespace

bool has_distinct_counter_sets(const PoolSlices& slices) {
  std::set<std::string_view> names;
  bool out = true;
  for_sets(slices,
           [&](const Json& each) { out = names.insert(each.get("name").text()).second && out; });
  return out;
}

bool has_all_counters(const PoolSlices& sets, const PoolSlices& consumers) {
  std::map<std::string_view, const Json*> counters;
  for_sets(sets, [&](const Json& each) {
    counters.emplace(each.get("name").text(), &each.get("counters"));
  });
  const auto are_there = [&counters](const Json& consumption) {
    const auto found = counters.find(consumption.get("counterSet").text());
    if (found == counters.end()) return false;
    const Json::Members& taken = consumption.get("counters").members();
    return std::all_of(taken.begin(), taken.end(),
                       [&](const Json::Member& each) { return found->second->contains(each.key); });
  };
  return std::all_of(consumers.begin(), consumers.end(), [&](const Json* slice) {
    const Json::Items& devices = slice->get("spec").get("devices").items();
    return std::all_of(devices.begin(), devices.end(), [&](const Json& device) {
      const Json::Items& all = device.get("consumesCounters").items();
      return std::all_of(all.begin(), all.end(), are_there);
    });
  });
}

PoolCounters::PoolCounters(const PoolSlices& slices,
                           const std::function<bool(const std::string& device)>& is_used) {
  for_sets(slices, [this](const Json& each) {
    for (const Json::Member& counter : each.get("counters").members()) {
      left_[{each.get("name").text(), counter.key}] = value_of(counter.value);
    }
  });
  for (const Json* slice : slices) {
    for (const Json& device : slice->get("spec").get("devices").items()) {
      if (device.get("consumesCounters").size() == 0 || !is_used(device.get("name").text())) {
        continue;
      }
      for_consumed(device,
                   [this](const std::string& set, const std::string& name, const Json& counter) {
                     left_[{set, name}] -= value_of(counter);
                   });
    }
  }
}

bool PoolCounters::take(const Json& device) {
  for_consumed(device,
               [this](const std::string& set, const std::string& name, const Json& counter) {
                 left_[{set, name}] -= value_of(counter);
               });
  const bool is_enough = std::all_of(left_.begin(), left_.end(),
                                     [](const auto& each) { return each.second >= Quantity(); });
  if (!is_enough) give_back(device);
  return is_enough;
}

void PoolCounters::give_back(const Json& device) {
  for_consumed(device,
               [this](const std::string& set, const std::string& name, const Json& counter) {
                 left_[{set, name}] += value_of(counter);
               });
}

}  // namespace davit::sandbox
