#include "plugins/pools/pool_metrics.hpp"

#include <iterator>

namespace davit::pools {
namespace {

constexpr Family kFamilies[] = {Family::kIPv4, Family::kIPv6};

/// The number of addresses of a block that Services have.
std::size_t used_of(const Block& block, const Ledger& ledger) {
  const auto& users = ledger.users();
  const auto first = users.lower_bound(block.range.first);
  const auto last = users.upper_bound(block.range.last);
  return static_cast<std::size_t>(std::distance(first, last));
}

}  // namespace

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
      std::size_t used = 0;
      for (const Block& each : pool.blocks) {
        if (each.range.first.family == family) used += used_of(each, ledger);
      }
      used_.record(static_cast<double>(used), {pool.name, ip::family_name(family)});
    }
  }
  waiting_.record(static_cast<double>(ledger.waiting().size()));
}

}  // namespace davit::pools
