#include "plugins/devicetaint/device_taints.hpp"

#include <algorithm>
#include <chrono>
#include <davit/mutant.hpp>
#include <davit/options.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plugins/devicetaint/rule_status.hpp"
#include "plugins/shared/gates/read_switch.hpp"

namespace davit::devicetaint {
namespace {

constexpr std::string_view kTaintSwitch = "deviceTaints";
constexpr std::string_view kRuleSwitch = "deviceTaintRules";
constexpr std::string_view kGroupSwitch = "workloadResourceClaims";

constexpr std::string_view kManager = "device-taint-eviction-controller";
constexpr std::string_view kPodKey = "pod:";
constexpr std::string_view kRuleKey = "rule:";

constexpr std::chrono::milliseconds kVerifyPause{200};

bool is_of_rule(const Key& key) { return key.ns == kRuleKey; }

Key key_of_rule(std::string_view name) { return {std::string(kRuleKey), std::string(name)}; }

/// The NoExecute taints of a slice's devices, in their order.
std::vector<std::pair<std::string_view, std::vector<Taint>>> taints_of(const Slice& slice) {
  std::vector<std::pair<std::string_view, std::vector<Taint>>> out;
  for (const Value each : slice.spec()["devices"].elements()) {
    std::vector<Taint> taints = taints_from(each[&Names::taints], kNoExecute);
    if (!taints.empty()) out.emplace_back(each[&Names::name].string(), std::move(taints));
  }
  return out;
}

}  // namespace

InitResult DeviceTaints::open(Context& cluster) {
  const Value config = cluster.config();
  if (Status s = check_options(config, {kTaintSwitch, kRuleSwitch, kGroupSwitch}); !s.ok()) {
    return s;
  }
  const Result<bool> taints = gates::read_switch(config, kTaintSwitch, true);
  const Result<bool> rules = gates::read_switch(config, kRuleSwitch);
  const Result<bool> groups = gates::read_switch(config, kGroupSwitch);
  for (const Result<bool>* each : {&taints, &rules, &groups}) {
    if (!*each) return each->error();
  }
  if (!*taints) return cluster.skip("the feature gate DRADeviceTaints is off");
  const Status served = cluster.client().resource_exists(Slice::kResource);
  if (served.code() == Code::kNotFound) return cluster.skip(served.message());
  Rules counted = *rules ? Rules::kCount : Rules::kIgnored;
  if (*rules) {
    const Status has_rules = cluster.client().resource_exists(Rule::kResource);
    if (has_rules.code() == Code::kNotFound) {
      cluster.log().warning("DeviceTaintRules have no effect", {{"error", has_rules.message()}});
      counted = Rules::kIgnored;
    }
  }
  return std::unique_ptr<Controller>(std::make_unique<DeviceTaints>(
      cluster, counted, *groups ? Groups::kCount : Groups::kIgnored));
}

DeviceTaints::DeviceTaints(Context& cluster, Rules rules, Groups groups)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = kManager}, [this](const Key& key) { return sync(key); })),
      caches_{.pods = cluster.open_informer<Pod>(
                  {.any = [this](const Event<Pod>& event) { on_pod(event); }}),
              .claims = cluster.open_informer<Claim>(
                  {.any = [this](const Event<Claim>& event) { on_claim(event); }}),
              .slices = cluster.open_informer<Slice>(
                  {.any = [this](const Event<Slice>& event) { on_slice(event); }}),
              .rules = rules == Rules::kIgnored
                           ? std::nullopt
                           : std::optional(cluster.open_informer<Rule>(
                                 {.any = [this](const Event<Rule>& event) { on_rule(event); }})),
              .groups = groups},
      eviction_(cluster) {
  cluster.add_index(caches_.slices, kByPool, "spec.pool.name");
  cluster.add_index(caches_.claims, kByPool, "status.allocation.devices.results[].pool");
  cluster.add_index(caches_.pods, kByGroup, "spec.schedulingGroup.podGroupName");
}

void DeviceTaints::on_pod(const Event<Pod>& event) {
  using Type = Event<Pod>::Type;
  const Pod& pod = event.current;
  if (event.type == Type::kDeleted) {
    add_rules_later(evicted_.end(pod.key(), pod.uid()).value_or(std::set<RuleId>()));
    return;
  }
  if (event.type == Type::kUpdated) {
    const bool is_same = event.old->uid() == pod.uid();
    if (is_same && event.old->node_name() == pod.node_name() &&
        Consumer(*event.old).statuses() == Consumer(pod).statuses()) {
      return;
    }
  }
  add(pod);
}

void DeviceTaints::on_claim(const Event<Claim>& event) const {
  if (event.old) add_consumers(*event.old);
  add_consumers(event.current);
}

void DeviceTaints::on_slice(const Event<Slice>& event) const {
  const Slice& slice = event.current;
  if (event.type == Event<Slice>::Type::kUpdated) {
    const Slice& old = *event.old;
    if (old.driver() == slice.driver() && old.pool() == slice.pool() &&
        old.generation_of_pool() == slice.generation_of_pool() &&
        taints_of(old) == taints_of(slice)) {
      return;
    }
    add_users_of_pool(old);
  }
  add_users_of_pool(slice);
}

void DeviceTaints::on_rule(const Event<Rule>& event) {
  using Type = Event<Rule>::Type;
  const Rule& rule = event.current;
  const bool is_replaced = event.type == Type::kUpdated && event.old->uid() != rule.uid();
  if (is_replaced) evicted_.forget(event.old->uid());
  if (event.type == Type::kDeleted) {
    evicted_.forget(rule.uid());
  } else {
    if (event.type == Type::kUpdated && !is_replaced && event.old->spec() == rule.spec()) return;
    queue_.add(key_of_rule(rule.name()));
  }
  if (event.type == Type::kUpdated) add_users_of(*event.old);
  add_users_of(rule);
}

void DeviceTaints::add(const Pod& pod) const {
  if (Consumer(pod).claims().count() == 0) return;
  queue_.add(Key{std::string(kPodKey) + std::string(pod.ns()), std::string(pod.name())});
}

void DeviceTaints::add_consumers(const Claim& claim) const {
  each_consumer(caches_, claim, [this](const Pod& pod) { add(pod); });
}

void DeviceTaints::add_users_of_pool(const Slice& slice) const {
  for (const Claim& claim : caches_.claims.by_index(kByPool, slice.pool())) {
    bool is_user = false;
    each_result(claim, [&](Value result) {
      const Device device = Device::of(result);
      is_user = is_user || (device.driver == slice.driver() && device.pool == slice.pool());
    });
    if (is_user) add_consumers(claim);
  }
}

void DeviceTaints::add_users_of(const Rule& rule) const {
  if (rule.effect() != kNoExecute) return;
  for (const Claim& claim : caches_.claims.list()) {
    if (uses_selected(claim, rule)) add_consumers(claim);
  }
}

Result<Again> DeviceTaints::sync(const Key& key) {
  if (is_of_rule(key)) return sync_rule(Key{"", key.name});
  return sync_pod(Key{key.ns.substr(kPodKey.size()), key.name});
}

Result<Again> DeviceTaints::sync_pod(const Key& key) {
  const Lookup<Pod> pod = caches_.pods.get(key);
  if (!pod) return Again::when_changed();
  if (pod->is_being_deleted() || pod->is_finished()) {
    // It goes by itself, which is nothing to announce (D11).
    add_rules_later(evicted_.end(key, pod->uid()).value_or(std::set<RuleId>()));
    return Again::when_changed();
  }
  const WallTime now = cluster_.wall_now();
  Eviction eviction = Judge(caches_, now).eviction_of(*pod);
  if (!eviction.when) {
    call_off(*pod);
    return Again::when_changed();
  }
  add_rules_later(evicted_.begin(key, pod->uid(), eviction.rules));
  // The time of a taint that has none is that at which it was first seen.
  if (eviction.is_undated) eviction.when = evicted_.earliest(key, *eviction.when);
  if (*eviction.when > now) {
    evicted_.postpone(key);
    return Again::after(*eviction.when - now);
  }
  const std::optional<Duration> wait = wait_for_caches(evicted_.due_since(key, cluster_.now()));
  if (wait && !mutant("taint-that-is-gone")) return Again::after(*wait).keeping_backoff();
  // The comparison may have changed the caches after the judgement.
  const Eviction compared = Judge(caches_, now).eviction_of(*pod);
  const bool is_later = compared.when && !compared.is_undated && *compared.when > now;
  if (!compared.when || is_later || compared.rules != eviction.rules) {
    return Again::after(kVerifyPause).keeping_backoff();
  }
  return evict(*pod, eviction);
}

std::optional<Duration> DeviceTaints::wait_for_caches(Time since) const {
  const auto is_new = [since](const auto& cache) {
    if (cache.freshness().verified >= since) return true;
    cache.verify();
    return false;
  };
  const bool claims = is_new(caches_.claims);
  const bool slices = is_new(caches_.slices);
  const bool rules = !caches_.rules || is_new(*caches_.rules);
  return claims && slices && rules ? std::nullopt : std::optional<Duration>(kVerifyPause);
}

Result<Again> DeviceTaints::evict(const Pod& pod, const Eviction& eviction) {
  const Result<Evicted> done = eviction_.evict(pod, *eviction.when);
  if (!done) {
    evicted_.postpone(pod.key());  // The next try compares the caches again.
    return done.error();
  }
  evicted_.end(pod.key(), pod.uid());
  if (*done == Evicted::kYes) evicted_.count(eviction.rules);
  add_rules_later(eviction.rules);
  return Again::when_changed();
}

void DeviceTaints::call_off(const Pod& pod) {
  const std::optional<std::set<RuleId>> rules = evicted_.end(pod.key(), pod.uid());
  if (!rules) return;
  cluster_.events().normal(pod, "DeviceTaintManagerEviction", "Cancelling deletion");
  add_rules_later(*rules);
}

void DeviceTaints::add_rules_later(const std::set<RuleId>& rules) const {
  for (const RuleId& each : rules) queue_.add_after(key_of_rule(each.first), kStatusPeriod);
}

Result<Again> DeviceTaints::sync_rule(const Key& key) const {
  const Lookup<Rule> rule = caches_.rules ? caches_.rules->get(key) : Lookup<Rule>();
  if (!rule) return Again::when_changed();
  const WallTime now = cluster_.wall_now();
  if (const std::optional<Duration> rest = status_rest(*rule, now)) return Again::after(*rest);
  std::string body = rule_status_body(
      *rule, rule_condition(caches_, *rule, evicted_.counted(rule->uid()), now), now);
  if (body.empty()) return Again::when_changed();
  const Status written = cluster_.client()
                             .patch<Rule>(key, PatchType::kApply, std::move(body),
                                          {.subresource = "status",
                                           .answer = Answer::kMetadata,
                                           .field_manager = kManager,
                                           .force = true})
                             .error();
  if (!written.ok()) return written;
  return Again::when_changed();
}

}  // namespace davit::devicetaint
