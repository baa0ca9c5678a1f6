/// The counters that the devices of a pool share (kubernetes: staging/src/k8s.io/
/// dynamic-resource-allocation/structured/internal/incubating, partitionable devices). Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/kube/json.hpp"
#include "nodes/device_capacity.hpp"

namespace davit::sandbox {

/// The slices of one pool.
using PoolSlices = std::vector<const Json*>;

/// Whether the counter sets of a pool have different names.
[[nodiscard]] bool has_distinct_counter_sets(const PoolSlices& slices);
/// Whether the devices of `consumers` take only counters of `sets`: slices of the same pool.
[[nodiscard]] bool has_all_counters(const PoolSlices& sets, const PoolSlices& consumers);

/// The rest of the counters of one pool.
class PoolCounters {
 public:
  /// `slices`: all of the pool. `is_used`: whether a claim has the device, by its name.
  PoolCounters(const PoolSlices& slices,
               const std::function<bool(const std::string& device)>& is_used);

  /// Takes what the device consumes, unless that leaves some counter of the pool below zero.
  [[nodiscard]] bool take(const Json& device);
  void give_back(const Json& device);

 private:
  using Name = std::pair<std::string, std::string>;  // A set, and its counter.

  std::map<Name, Quantity> left_;
};

}  // namespace davit::sandbox
