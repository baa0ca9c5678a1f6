#include "plugins/namespace/content_plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "plugins/namespace/namespace_view.hpp"
#include "plugins/namespace/texts.hpp"

namespace davit::namespaces {

std::chrono::seconds grace_estimate(Value pod_list, std::optional<WallTime> deleted_at,
                                    WallTime now) {
  std::int64_t longest = 0;
  for (const Value pod : pod_list[&Names::items].elements()) {
    const std::string_view phase = pod[&Names::status][&Names::phase].string();
    if (phase == "Succeeded" || phase == "Failed") continue;
    const Value grace = pod[&Names::spec]["terminationGracePeriodSeconds"];
    longest = std::max(longest, grace.integer_or(0));
  }
  // A hundred years are as good as for ever, and no sum with them overflows.
  constexpr std::int64_t kLongest = std::int64_t{100} * 366 * 24 * 3600;
  const std::chrono::seconds estimate(std::min(longest, kLongest));
  const bool is_over = deleted_at && now - *deleted_at >= estimate;
  return is_over ? std::chrono::seconds(0) : estimate;
}

Remaining count_remaining(Value list) {
  Remaining out;
  for (const Value item : list[&Names::items].elements()) {
    ++out.count;
    for (const Value finalizer : item[&Names::metadata][&Names::finalizers].elements()) {
      ++out.finalizers[std::string(finalizer.string())];
    }
  }
  return out;
}

ResourceOutcome judge_remaining(std::string_view ns, const Gvr& gvr, std::chrono::seconds estimate,
                                Remaining remaining) {
  if (remaining.count == 0) return {};
  ResourceOutcome outcome;
  outcome.estimate = estimate;
  const bool is_held = !remaining.finalizers.empty();
  outcome.remaining = std::move(remaining);
  if (estimate != std::chrono::seconds(0)) return outcome;
  if (is_held) {
    outcome.estimate = kFinalizerEstimate;
    return outcome;
  }
  outcome.error =
      Status(Code::kInternal, "unexpected items still remain in namespace: " + std::string(ns) +
                                  " for gvr: " + gvr.text());
  return outcome;
}

void ContentTotals::add(const Gvr& gvr, const Remaining& remaining) {
  if (remaining.count == 0) return;
  resources[gvr.group_resource()] += remaining.count;
  for (const auto& [finalizer, count] : remaining.finalizers) finalizers[finalizer] += count;
}

Status aggregate(const std::vector<Status>& errors) {
  if (errors.empty()) return {};
  std::vector<std::string> texts;
  std::set<std::string> seen;
  for (const Status& each : errors) {
    if (seen.insert(each.message()).second) texts.push_back(each.message());
  }
  return {errors.front().code(), texts.size() == 1 ? texts.front() : "[" + joined(texts) + "]"};
}

std::chrono::seconds retry_delay(std::chrono::seconds estimate) {
  return estimate / 2 + std::chrono::seconds(1);
}

std::vector<std::string> other_finalizers(Value finalizers) {
  std::set<std::string> others;
  for (const Value each : finalizers.elements()) {
    if (each.string() != kToken) others.emplace(each.string());
  }
  return {others.begin(), others.end()};
}

}  // namespace davit::namespaces
