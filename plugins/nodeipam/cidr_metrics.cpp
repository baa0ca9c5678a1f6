#include "plugins/nodeipam/cidr_metrics.hpp"

#include <string>
#include <string_view>

namespace davit::nodeipam {
namespace {

Metric open_cidr_metric(Context& cluster, MetricType type, std::string_view name,
                        std::string_view help) {
  return cluster.open_metric({.type = type, .name = name, .help = help, .labels = {"clusterCIDR"}});
}

}  // namespace

CidrMetrics::CidrMetrics(Context& cluster)
    : allocations_(open_cidr_metric(cluster, MetricType::kCounter,
                                    "node_ipam_controller_cidrset_cidrs_allocations_total",
                                    "Counter measuring total number of CIDR allocations.")),
      releases_(open_cidr_metric(cluster, MetricType::kCounter,
                                 "node_ipam_controller_cidrset_cidrs_releases_total",
                                 "Counter measuring total number of CIDR releases.")),
      size_(open_cidr_metric(cluster, MetricType::kGauge, "node_ipam_controller_cirdset_max_cidrs",
                             "Maximum number of CIDRs that can be allocated.")),
      usage_(open_cidr_metric(cluster, MetricType::kGauge,
                              "node_ipam_controller_cidrset_usage_cidrs",
                              "Gauge measuring percentage of allocated CIDRs.")),
      tries_(
          cluster.open_metric({.type = MetricType::kHistogram,
                               .name = "node_ipam_controller_cidrset_allocation_tries_per_request",
                               .help = "Number of CIDR allocation tries per request",
                               .labels = {"clusterCIDR"},
                               .buckets = {1, 5, 25, 125, 625}})) {}

void CidrMetrics::record(const std::vector<CidrSet>& sets) {
  const bool is_first = recorded_.empty();
  recorded_.resize(sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const CidrSet& set = sets[i];
    Totals& done = recorded_[i];
    const Totals now{set.came_into_use(), set.became_free()};
    const bool has_grown = now.came_into_use != done.came_into_use;
    const bool has_shrunk = now.became_free != done.became_free;
    if (!is_first && !has_grown && !has_shrunk) continue;
    const std::string cidr = set.cidr().text();
    const auto size = static_cast<double>(set.size());
    if (is_first) size_.record(size, {cidr});
    if (has_grown) {
      allocations_.record(static_cast<double>(now.came_into_use - done.came_into_use), {cidr});
    }
    if (has_shrunk) {
      releases_.record(static_cast<double>(now.became_free - done.became_free), {cidr});
    }
    usage_.record(static_cast<double>(set.used()) / size, {cidr});
    done = now;
  }
}

void CidrMetrics::tried(const std::vector<CidrSet>& sets,
                        const std::vector<std::uint64_t>& tries) const {
  for (std::size_t i = 0; i < tries.size(); ++i) {
    tries_.record(static_cast<double>(tries[i]), {sets[i].cidr().text()});
  }
}

}  // namespace davit::nodeipam
