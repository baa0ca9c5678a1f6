#include "plugins/pools/pool_metrics.hpp"

#include <cstdint>

namespace davit::pools {

PoolMetrics::PoolMetrics(Context& cluster)
    : size_(cluster.open_metric({.type = MetricType::kGauge,
                                 .name = "pools_addresses",
                                 .help = "Addresses of a pool",
                                 .labels = {"pool", "family"}})),
      used_(cluster.open_metric({.type = MetricType::kGauge,
                                 .name = "pools_addresses_used",
                                 .help = "Those that Services have",
                                 .labels = {"pool", "family"}})),
      waiting_(cluster.open_metric({.type = MetricType::kGauge,
                                    .name = "pools_services_waiting",
                                    .help = "Services that wait for an address"})) {}

void PoolMetrics::set_pools(const Pools& before, const Pools& pools) {
  for (const Pool& pool : before) {
    for (const Family family : kFamilies) {
      size_.remove({pool.name, ip::family_name(family)});
      used_.remove({pool.name, ip::family_name(family)});
    }
  }
  for (const Pool& pool : pools) {
    for (const Family family : kFamilies) {
      if (!pool.has(family)) continue;
      size_.record(static_cast<double>(pool.size(family)), {pool.name, ip::family_name(family)});
    }
  }
}

void PoolMetrics::record(const Pools& pools, const Ledger& ledger) {
  for (const Pool& pool : pools) {
    for (const Family family : kFamilies) {
      if (!pool.has(family)) continue;
      std::uint64_t used = 0;
      for (const Block& each : pool.blocks) {
        if (each.range.first.family == family) used += ledger.used_in(each.range);
      }
      used_.record(static_cast<double>(used), {pool.name, ip::family_name(family)});
    }
  }
  waiting_.record(static_cast<double>(ledger.waiting().size()));
}

}  // namespace davit::pools
