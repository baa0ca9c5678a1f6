#include "plugins/endpoint/zone_hints.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <davit/kube/quantity.hpp>
#include <utility>

#include "plugins/endpoint/traffic_hints.hpp"
#include "plugins/endpoint/wanted_endpoints.hpp"

namespace davit::endpoint {

namespace {

/// The overload that a zone may have to bear, as a part of its share
/// (topologycache.overloadThreshold).
constexpr double kOverload = 0.2;
constexpr double kLeastPart = 1 / (1 + kOverload);

/// 0 when the Node says none, or none that can be read.
std::int64_t allocatable_milli_cpus(const Node& node) {
  const std::optional<Quantity> cpus = Quantity::read(node.status()["allocatable"]["cpu"]);
  return cpus ? cpus->milli() : 0;
}

std::size_t least_of(double wanted) {
  return static_cast<std::size_t>(std::ceil(wanted * kLeastPart));
}

std::vector<SliceEndpoint*> ready_of(std::vector<PlannedSlice>& slices) {
  std::vector<SliceEndpoint*> out;
  for (PlannedSlice& slice : slices) {
    for (SliceEndpoint& each : slice.endpoints) {
      if (each.is_ready()) out.push_back(&each);
    }
  }
  return out;
}

struct Share {
  double wanted = 0;
  std::size_t most = 0;
};
using Shares = std::map<std::string, Share, std::less<>>;

std::string counted(const char* what, std::size_t endpoints, std::size_t zones) {
  return std::string(what) + " (" + std::to_string(endpoints) + " endpoints, " +
         std::to_string(zones) + " zones)";
}

/// Each zone's share of `total` endpoints, or why they cannot be shared out.
std::optional<Shares> share_out(const std::optional<ZoneRatios>& ratios, std::size_t total,
                                std::string& refusal) {
  if (!ratios) {
    refusal =
        "Insufficient Node information: allocatable CPU or zone not specified on one or more "
        "nodes";
    return std::nullopt;
  }
  const std::size_t zones = ratios->size();
  if (zones < 2) {
    refusal = "Nodes only ready in one zone";
    return std::nullopt;
  }
  if (zones > total) {
    refusal = counted("Insufficient number of endpoints", total, zones);
    return std::nullopt;
  }
  Shares shares;
  std::size_t least_sum = 0;
  for (const auto& [zone, ratio] : *ratios) {
    const double fair = ratio * static_cast<double>(total);
    const std::size_t least = least_of(fair);
    least_sum += least;
    shares[zone] = {std::max(fair, static_cast<double>(least)), least};
  }
  if (least_sum > total) {
    refusal = counted(
        "Unable to allocate minimum required endpoints to each zone without exceeding overload "
        "threshold",
        total, zones);
    return std::nullopt;
  }
  for (auto& [zone, share] : shares) share.most += total - least_sum;
  return shares;
}

/// The hints of an unchanged slice by zone; nothing when one of them is missing or wrong.
std::optional<ZoneCounts> counts_of(const PlannedSlice& slice, const Shares& shares,
                                    const ZoneCounts& so_far) {
  ZoneCounts counts;
  for (const SliceEndpoint& each : slice.endpoints) {
    if (!each.is_ready()) continue;
    if (each.hints.zones.empty() || !shares.contains(each.hints.zones.front())) return std::nullopt;
    ++counts[each.hints.zones.front()];
  }
  for (const auto& [zone, count] : counts) {
    const auto before = so_far.find(zone);
    const std::size_t all = count + (before == so_far.end() ? 0 : before->second);
    if (all > shares.find(zone)->second.most) return std::nullopt;
  }
  return counts;
}

/// Whole endpoints that one zone gives up or takes in.
using Quotas = std::map<std::string, int, std::less<>>;

void take_one(Quotas& quotas, Quotas::iterator at) {
  if (--at->second == 0) quotas.erase(at);
}

struct Trade {
  Quotas giving;
  Quotas receiving;
};

/// Finds the zones with too many endpoints and those with too few (getGivingAndReceivingZones).
Trade balance(const ZoneCounts& allocated, const Shares& shares) {
  std::map<std::string, double> donors;
  std::map<std::string, double> receivers;
  for (const auto& [zone, share] : shares) {
    const auto has = allocated.find(zone);
    const double over =
        (has == allocated.end() ? 0.0 : static_cast<double>(has->second)) - share.wanted;
    if (over > 0) donors[zone] = over;
    if (over < 0) receivers[zone] = -over;
  }
  const auto largest = [](std::map<std::string, double>& of) {
    return std::max_element(of.begin(), of.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
  };
  Trade trade;
  while (!donors.empty() && !receivers.empty()) {
    const auto from = largest(donors);
    const auto to = largest(receivers);
    // Half an endpoint moved would only turn the imbalance round.
    const bool both_small = from->second < 1 && to->second < 1;
    if (both_small || from->second < 0.5 || to->second < 0.5) break;
    from->second -= 1;
    to->second -= 1;
    ++trade.giving[from->first];
    ++trade.receiving[to->first];
  }
  return trade;
}

void move_hints(const std::vector<SliceEndpoint*>& endpoints, Trade trade, ZoneCounts& allocated) {
  for (SliceEndpoint* each : endpoints) {
    if (trade.giving.empty() || trade.receiving.empty()) return;
    const auto from = trade.giving.find(*each->zone);
    if (from == trade.giving.end()) continue;
    const auto to = trade.receiving.begin();
    each->hints.zones = {to->first};
    --allocated[from->first];
    ++allocated[to->first];
    take_one(trade.giving, from);
    take_one(trade.receiving, to);
  }
}

ZoneHints refuse(SlicePlan& plan, std::string why) {
  clear_hints(plan);
  return {std::nullopt, std::move(why)};
}

}  // namespace

bool wants_zone_hints(const Service& service) {
  auto mode = service.annotation("service.kubernetes.io/topology-aware-hints");
  if (!mode) mode = service.annotation("service.kubernetes.io/topology-mode");
  return mode && (*mode == "Auto" || *mode == "auto");
}

std::optional<ZoneRatios> zone_ratios(std::span<const Node> nodes) {
  std::map<std::string, std::int64_t, std::less<>> cpus;
  std::int64_t total = 0;
  for (const Node& node : nodes) {
    if (node.label("node-role.kubernetes.io/control-plane") ||
        node.label("node-role.kubernetes.io/master")) {
      continue;
    }
    const auto ready = node.condition("Ready");
    if (!ready || !ready->is_true()) continue;
    const auto zone = node.label(kZoneLabel);
    const std::int64_t milli = allocatable_milli_cpus(node);
    if (!zone || zone->empty() || milli == 0) return std::nullopt;
    cpus[std::string(*zone)] += milli;
    total += milli;
  }
  if (total == 0 || cpus.size() < 2) return std::nullopt;
  ZoneRatios ratios;
  for (const auto& [zone, milli] : cpus) {
    ratios[zone] = static_cast<double>(milli) / static_cast<double>(total);
  }
  return ratios;
}

ZoneHints hint_zones(SlicePlan& plan, const std::optional<ZoneRatios>& ratios) {
  const std::size_t total =
      ready_of(plan.create).size() + ready_of(plan.update).size() + ready_of(plan.unchanged).size();
  std::string refusal;
  const std::optional<Shares> shares = share_out(ratios, total, refusal);
  if (!shares) return refuse(plan, std::move(refusal));
  ZoneCounts allocated;
  update_where(plan, [&](PlannedSlice& slice) {
    const std::optional<ZoneCounts> counts = counts_of(slice, *shares, allocated);
    if (!counts) return true;
    for (const auto& [zone, count] : *counts) allocated[zone] += count;
    return false;
  });
  std::vector<SliceEndpoint*> endpoints = ready_of(plan.create);
  const std::vector<SliceEndpoint*> updated = ready_of(plan.update);
  endpoints.insert(endpoints.end(), updated.begin(), updated.end());
  for (PlannedSlice& each : plan.update) each.content = PlannedSlice::Content::kPlanned;
  for (SliceEndpoint* each : endpoints) {
    if (!each->zone) {
      return refuse(plan, "One or more endpoints do not have a zone specified");
    }
    each->hints = {{*each->zone}, {}};
    ++allocated[*each->zone];
  }
  move_hints(endpoints, balance(allocated, *shares), allocated);
  if (allocated.empty()) return refuse(plan, "No hints allocated for zones");
  return {std::move(allocated), {}};
}

bool is_overloaded(const ZoneCounts& allocated, const std::optional<ZoneRatios>& ratios) {
  if (allocated.empty()) return false;
  if (!ratios) return true;
  std::size_t total = 0;
  for (const auto& [zone, count] : allocated) total += count;
  return std::any_of(ratios->begin(), ratios->end(), [&](const auto& each) {
    const auto has = allocated.find(each.first);
    if (has == allocated.end()) return true;
    return has->second < least_of(static_cast<double>(total) * each.second);
  });
}

}  // namespace davit::endpoint
