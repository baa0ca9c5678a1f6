#include "plugins/cloud/options.hpp"

#include <algorithm>
#include <davit/kube/duration.hpp>
#include <davit/options.hpp>
#include <optional>
#include <string_view>

namespace davit::cloud {
namespace {

constexpr std::string_view kClusterName = "clusterName";
constexpr std::string_view kConfigureRoutes = "configureCloudRoutes";
constexpr std::string_view kRoutePeriod = "routeReconciliationPeriod";
constexpr std::string_view kClusterCidr = "clusterCIDR";
constexpr std::string_view kMonitorPeriod = "nodeMonitorPeriod";
constexpr std::string_view kAddressPeriod = "nodeStatusUpdateFrequency";
constexpr std::string_view kAddressWorkers = "concurrentNodeStatusUpdates";

/// Upstream runs without a pause if a period is 0 (D1).
constexpr Duration kShortestPeriod = std::chrono::seconds(1);
constexpr std::int64_t kWorkersMax = 1000;

Status mistake(std::string_view name, std::string_view what) {
  return {Code::kInvalid, std::string(name) + " must be " + std::string(what)};
}

Status read_cluster(Value config, std::string& out) {
  const Value name = config[kClusterName];
  if (name.is_absent()) return {};
  out = name.string();
  return out.empty() ? mistake(kClusterName, "a string that is not empty") : Status();
}

Status read_period(Value config, std::string_view name, Duration& out) {
  const Value value = config[name];
  if (value.is_absent()) return {};
  const std::optional<Duration> period = parse_duration(value.string());
  if (!period) return mistake(name, "a duration such as \"10s\"");
  out = std::max(*period, kShortestPeriod);
  return {};
}

}  // namespace

Result<Options> read_options(Value config) {
  if (Status s = check_options(config, {kClusterName}); !s.ok()) return s;
  Options out;
  if (Status s = read_cluster(config, out.cluster); !s.ok()) return s;
  return out;
}

Result<RouteOptions> read_route_options(Value config) {
  Status checked =
      check_options(config, {kClusterName, kConfigureRoutes, kRoutePeriod, kClusterCidr});
  RouteOptions out;
  if (checked.ok()) checked = read_cluster(config, out.cluster);
  if (checked.ok()) checked = read_period(config, kRoutePeriod, out.period);
  if (!checked.ok()) return checked;
  if (const Value is_on = config[kConfigureRoutes]; !is_on.is_absent()) {
    if (!is_on.boolean()) return mistake(kConfigureRoutes, "true or false");
    out.is_on = is_on.is_true();
  }
  if (const Value cidrs = config[kClusterCidr]; !cidrs.is_absent()) {
    if (!cidrs.text()) return mistake(kClusterCidr, "a string");
    out.cluster_cidrs = *cidrs.text();
  }
  return out;
}

Result<LifecycleOptions> read_lifecycle_options(Value config) {
  if (Status s = check_options(config, {kMonitorPeriod}); !s.ok()) return s;
  LifecycleOptions out;
  if (Status s = read_period(config, kMonitorPeriod, out.period); !s.ok()) return s;
  return out;
}

Result<NodeOptions> read_node_options(Value config) {
  if (Status s = check_options(config, {kAddressPeriod, kAddressWorkers}); !s.ok()) return s;
  NodeOptions out;
  if (Status s = read_period(config, kAddressPeriod, out.address_period); !s.ok()) return s;
  if (const Value workers = config[kAddressWorkers]; !workers.is_absent()) {
    const std::optional<std::int64_t> number = workers.integer();
    if (!number || *number < 0 || *number > kWorkersMax) {
      return mistake(kAddressWorkers, "an integer from 0 to 1000");
    }
    out.address_workers = static_cast<std::uint32_t>(*number);
  }
  return out;
}

}  // namespace davit::cloud
