/// The metrics of the EndpointSlice controller, under upstream's names
/// (staging/src/k8s.io/endpointslice/metrics).
#pragma once

#include <davit/context.hpp>
#include <davit/key.hpp>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "plugins/endpoint/slice_plan.hpp"

namespace davit::endpoint {

/// Thread-safe.
class SliceMetrics {
 public:
  enum class SyncResult { kSuccess, kStale, kError };

  /// For a controller's constructor.
  explicit SliceMetrics(Context& cluster);

  /// Records the plan of a Service and type, before names are reused. `distribution`: the
  /// trafficDistribution in force, empty for none.
  void planned(const Key& service, const SlicePlan& plan, std::size_t listed,
               std::string_view distribution);
  void wrote(std::string_view operation) const { changes_.record(1, {operation}); }
  /// Records that all writes of one type succeeded.
  void done(const SlicePlan& plan, std::string_view topology, std::string_view distribution) const;
  void synced(SyncResult result) const;
  void forget(const Key& service);

 private:
  struct Record {
    std::size_t endpoints = 0;
    std::size_t slices = 0;
    std::size_t slices_least = 0;
    std::string distribution;
  };
  /// Replaces a record by another and shows the new sums.
  void replace(const Key& service, const Record* record);

  Metric added_;
  Metric removed_;
  Metric endpoints_;
  Metric slices_;
  Metric slices_least_;
  Metric changes_;
  Metric changed_;
  Metric syncs_;
  Metric distributions_;
  std::mutex mutex_;
  std::map<Key, Record> records_;                                    // Guarded by mutex_.
  Record sums_;                                                      // Guarded by mutex_.
  std::map<std::string, std::size_t, std::less<>> by_distribution_;  // Guarded by mutex_.
};

}  // namespace davit::endpoint
