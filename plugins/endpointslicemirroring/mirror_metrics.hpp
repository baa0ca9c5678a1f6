/// The metrics endpoint_slice_mirroring_controller_*, as upstream.
#pragma once

#include <cstddef>
#include <davit/context.hpp>
#include <map>
#include <mutex>
#include <string_view>

#include "plugins/endpointslicemirroring/mirror_plan.hpp"

namespace davit::endpointslicemirroring {

/// The gauges are sums over all Endpoints. Thread-safe.
class MirrorMetrics {
 public:
  /// Opens them, so made while the controller is.
  explicit MirrorMetrics(Context& cluster);

  void planned(const Key& endpoints, const MirrorPlan& plan, std::size_t addresses_skipped);
  void forget(const Key& endpoints);
  /// `operation`: "create", "update" or "delete".
  void wrote(std::string_view operation) const { changes_.record(1, {operation}); }
  void synced(Duration took) const;

 private:
  struct Record {
    std::size_t endpoints = 0;
    std::size_t slices = 0;
    std::size_t slices_least = 0;
  };
  /// Replaces a record by another and shows the new sums.
  void replace(const Key& endpoints, const Record* record);

  Metric added_;
  Metric updated_;
  Metric removed_;
  Metric skipped_;
  Metric took_;
  Metric endpoints_;
  Metric slices_;
  Metric slices_least_;
  Metric changes_;
  std::mutex mutex_;
  std::map<Key, Record> records_;  // Guarded by mutex_.
  Record sums_;                    // Guarded by mutex_.
};

}  // namespace davit::endpointslicemirroring
