#include "plugins/podautoscaler/replica_calculator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plugins/podautoscaler/saturate.hpp"

namespace davit::podautoscaler {
namespace {

constexpr std::int64_t kPercent = 100;

Status no_pods() {
  return {Code::kUnavailable, "no pods returned by selector while calculating replica count"};
}

/// A cpu value from the time in which the pod started, which says nothing about its load.
bool is_cold(const PodFacts& pod, const PodValue& value, const CalculatorSettings& settings,
             WallTime now) {
  if (pod.ready == PodFacts::Ready::kAbsent || !pod.started) return true;
  const bool unready = pod.ready == PodFacts::Ready::kFalse;
  if (*pod.started + settings.cpu_initialization > now) {
    return unready || value.timestamp < pod.ready_since + value.window;
  }
  return unready && *pod.started + settings.initial_readiness_delay > pod.ready_since;
}

}  // namespace

struct ReplicaCalculator::Groups {
  std::int64_t ready = 0;
  std::vector<std::string> unready{};
  std::vector<std::string> missing{};
};

Result<ReplicaCalculator::Groups> ReplicaCalculator::grouped(PodMetric& metric) const {
  if (metric.pods.empty()) return no_pods();
  Groups out;
  for (const PodFacts& pod : metric.pods) {
    const auto value = metric.values.find(pod.name);
    if (pod.is_ignored) {
      metric.values.erase(pod.name);
    } else if (pod.is_pending) {
      out.unready.push_back(pod.name);
    } else if (value == metric.values.end()) {
      out.missing.push_back(pod.name);
    } else if (metric.is_cpu && is_cold(pod, value->second, settings_, metric.now)) {
      out.unready.push_back(pod.name);
    } else {
      ++out.ready;
    }
  }
  for (const std::string& each : out.unready) metric.values.erase(each);
  if (!metric.values.empty()) return out;
  return Status(Code::kUnavailable,
                "did not receive metrics for targeted pods (pods might be unready)");
}

template <typename Measure, typename Fill>
Result<Proposal> ReplicaCalculator::propose(PodValues values, const Groups& groups,
                                            const Measure& measure, const Fill& fill) const {
  const Result<Usage> before = measure(values);
  if (!before) return before.error();
  const double ratio = before->ratio;
  Proposal out{replicas_.current, before->milli, before->utilization};
  const bool mixed = !groups.unready.empty() && ratio > 1.0;
  if (!mixed && groups.missing.empty()) {
    if (settings_.tolerance.holds(ratio) || std::isnan(ratio)) return out;
    out.replicas = saturated32(std::ceil(ratio * static_cast<double>(groups.ready)));
    return out;
  }
  // Pods without a value count against the change.
  for (const std::string& each : groups.missing) {
    if (ratio < 1.0) values[each] = PodValue{.milli = fill(each)};
    if (ratio > 1.0) values[each] = PodValue{};
  }
  for (const std::string& each : groups.unready) {
    if (mixed) values[each] = PodValue{};
  }
  const Result<Usage> after = measure(values);
  if (!after) return after.error();
  const bool turned = (ratio < 1.0 && after->ratio > 1.0) || (ratio > 1.0 && after->ratio < 1.0);
  if (settings_.tolerance.holds(after->ratio) || turned || std::isnan(after->ratio)) return out;
  const std::int32_t wanted =
      saturated32(std::ceil(after->ratio * static_cast<double>(values.size())));
  const bool against = (after->ratio < 1.0 && wanted > replicas_.current) ||
                       (after->ratio > 1.0 && wanted < replicas_.current);
  if (!against) out.replicas = wanted;
  return out;
}

Result<Proposal> ReplicaCalculator::by_utilization(PodMetric metric,
                                                   const Result<PodRequests>& requests,
                                                   std::int32_t percent) const {
  const Result<Groups> groups = grouped(metric);
  if (!groups) return groups.error();
  if (!requests) return requests.error();
  const auto measure = [&](const PodValues& values) -> Result<Usage> {
    Wide used = 0;
    Wide requested = 0;
    Wide count = 0;
    for (const auto& [name, value] : values) {
      const auto request = requests->find(name);
      if (request == requests->end()) continue;
      used += value.milli;
      requested += request->second;
      ++count;
    }
    if (requested == 0) {
      return Status(Code::kUnavailable, "no metrics returned matched known pods");
    }
    const std::int32_t utilization = saturated32(used * kPercent / requested);
    return Usage{static_cast<double>(utilization) / static_cast<double>(percent),
                 saturated64(used / count), utilization};
  };
  const auto fill = [&](const std::string& pod) {
    const auto request = requests->find(pod);
    if (request == requests->end()) return std::int64_t{0};
    return saturated64(Wide{request->second} * std::max<std::int64_t>(kPercent, percent) /
                       kPercent);
  };
  return propose(std::move(metric.values), *groups, measure, fill);
}

Result<Proposal> ReplicaCalculator::by_average(PodMetric metric, std::int64_t target) const {
  const Result<Groups> groups = grouped(metric);
  if (!groups) return groups.error();
  const auto measure = [&](const PodValues& values) -> Result<Usage> {
    Wide used = 0;
    for (const auto& [name, value] : values) used += value.milli;
    const std::int64_t average = saturated64(used / static_cast<Wide>(values.size()));
    return Usage{static_cast<double>(average) / static_cast<double>(target), average};
  };
  const auto fill = [target](const std::string&) { return target; };
  return propose(std::move(metric.values), *groups, measure, fill);
}

Result<Proposal> ReplicaCalculator::by_value(std::span<const PodFacts> pods, std::int64_t value,
                                             std::int64_t target) const {
  const double ratio = static_cast<double>(value) / static_cast<double>(target);
  if (replicas_.current == 0) return Proposal{saturated32(std::ceil(ratio)), value};
  if (settings_.tolerance.holds(ratio) || std::isnan(ratio)) {
    return Proposal{replicas_.current, value};
  }
  if (pods.empty()) return no_pods().with_context("unable to calculate ready pods");
  const auto ready = std::count_if(pods.begin(), pods.end(), [](const PodFacts& each) {
    return each.is_running && each.ready == PodFacts::Ready::kTrue;
  });
  return Proposal{saturated32(std::ceil(ratio * static_cast<double>(ready))), value};
}

Proposal ReplicaCalculator::by_average_value(std::int64_t value, std::int64_t target) const {
  const double total = static_cast<double>(value);
  const double counted = static_cast<double>(replicas_.counted);
  const double ratio = total / (static_cast<double>(target) * counted);
  const double wanted = std::ceil(total / static_cast<double>(target));
  Proposal out{replicas_.counted, value};
  if (!settings_.tolerance.holds(ratio) && !std::isnan(wanted)) out.replicas = saturated32(wanted);
  if (replicas_.counted > 0) {
    const Wide up = value > 0 ? replicas_.counted - 1 : 0;  // Division rounds negative ones up.
    out.milli = saturated64((Wide{value} + up) / replicas_.counted);
  }
  return out;
}

}  // namespace davit::podautoscaler
