#include "plugins/devicetaint/eviction.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <davit/kube/time.hpp>

namespace davit::devicetaint {
namespace {

bool is_undated(const Taint& taint) { return !parse_time(taint.time_added); }

/// The last second of the year 9999: what ends later never ends (D9).
constexpr std::int64_t kLastSecond = 253'402'300'799;

}  // namespace

void Eviction::add(const Eviction& other) {
  if (!other.when) return;
  when = when ? std::min(*when, *other.when) : *other.when;
  rules.insert(other.rules.begin(), other.rules.end());
  is_undated = is_undated || other.is_undated;
}

std::optional<WallTime> end_of(const Taint& taint, const std::vector<Toleration>& tolerations,
                               WallTime now) {
  std::optional<std::int64_t> seconds;
  for (const Toleration& each : tolerations) {
    if (!each.tolerates(taint)) continue;
    if (!each.seconds) return std::nullopt;
    const std::int64_t given = std::max<std::int64_t>(0, *each.seconds);
    seconds = seconds ? std::min(*seconds, given) : given;
  }
  const WallTime since = parse_time(taint.time_added).value_or(now);
  const std::int64_t since_s =
      std::chrono::floor<std::chrono::seconds>(since).time_since_epoch().count();
  const std::int64_t wait = seconds.value_or(0);
  if (wait > kLastSecond - since_s) return std::nullopt;
  const std::int64_t left = std::chrono::floor<std::chrono::seconds>(kTimeMax - since).count();
  return wait > left ? kTimeMax : since + std::chrono::seconds(wait);
}

Judge::Judge(const Caches& caches, WallTime now, const Rule* preview)
    : caches_(caches), now_(now), is_preview_(preview != nullptr) {
  if (preview != nullptr) {
    rules_.push_back(*preview);
  } else if (caches.rules) {
    for (const Rule& each : caches.rules->list()) {
      if (each.effect() == kNoExecute) rules_.push_back(each);
    }
  }
}

Eviction Judge::eviction_of(const Claim& claim) const {
  Eviction out;
  each_result(claim, [&](Value result) {
    const std::vector<Toleration> tolerations = tolerations_from(result[&Names::tolerations]);
    const Device device = Device::of(result);
    add_rules(device, tolerations, out);
    add_slices(device, tolerations, out);
  });
  return out;
}

void Judge::add_rules(const Device& device, const std::vector<Toleration>& tolerations,
                      Eviction& out) const {
  for (const Rule& rule : rules_) {
    if (!rule.selects(device.driver, device.pool, device.name)) continue;
    Taint taint = Taint::from(rule.taint());
    if (is_preview_) taint.effect = kNoExecute;
    out.add({end_of(taint, tolerations, now_),
             {{std::string(rule.name()), std::string(rule.uid())}},
             is_undated(taint)});
  }
}

void Judge::add_slices(const Device& device, const std::vector<Toleration>& tolerations,
                       Eviction& out) const {
  each_published(caches_, device, [&](Value published) {
    for (const Taint& taint : taints_from(published[&Names::taints], kNoExecute)) {
      out.add({end_of(taint, tolerations, now_), {}, is_undated(taint)});
    }
  });
}

Eviction Judge::eviction_of(const Pod& pod) const {
  Eviction out;
  if (pod.node_name().empty()) return out;
  const Consumer consumer(pod);
  for (const Value each : consumer.claims().elements()) {
    const ClaimName name = claim_name(consumer, each);
    if (name.state != ClaimName::State::kNamed) continue;
    const Lookup<Claim> claim = caches_.claims.get(pod.ns(), name.name);
    if (!claim || (name.is_made && !is_for_pod(*claim, pod, caches_.groups))) continue;
    if (is_reserved_for(*claim, pod, caches_.groups)) out.add(eviction_of(*claim));
  }
  return out;
}

bool uses_selected(const Claim& claim, const Rule& rule) {
  bool found = false;
  each_result(claim, [&](Value result) {
    const Device device = Device::of(result);
    found = found || rule.selects(device.driver, device.pool, device.name);
  });
  return found;
}

std::int64_t generation_of(const Caches& caches, std::string_view driver, std::string_view pool) {
  std::int64_t newest = 0;
  for (const Slice& each : caches.slices.by_index(kByPool, pool)) {
    if (each.driver() == driver) newest = std::max(newest, each.generation_of_pool());
  }
  return newest;
}

}  // namespace davit::devicetaint
