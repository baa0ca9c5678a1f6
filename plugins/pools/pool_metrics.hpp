/// The metrics of the pools.
#pragma once

#include <davit/context.hpp>

#include "plugins/pools/ledger.hpp"

namespace davit::pools {

/// Rule: docs/spec/cloud.md, F4. Belongs to one thread at a time.
class PoolMetrics {
 public:
  explicit PoolMetrics(Context& cluster);

  /// The pools are these from now on.
  void set_pools(const Pools& before, const Pools& pools);
  /// Something may have been given or freed.
  void record(const Pools& pools, const Ledger& ledger);

 private:
  Metric size_;
  Metric used_;
  Metric waiting_;
};

}  // namespace davit::pools
