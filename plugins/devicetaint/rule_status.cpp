#include "plugins/devicetaint/rule_status.hpp"

#include <davit/json_writer.hpp>
#include <davit/kube/condition.hpp>
#include <set>
#include <utility>

namespace davit::devicetaint {
namespace {

constexpr std::string_view kType = "EvictionInProgress";

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

/// Pods, and the namespaces that they are in.
struct Affected {
  std::int64_t pods = 0;
  std::int64_t namespaces = 0;
};

Affected affected_by(const Caches& caches, const Rule& rule, const Judge& judge) {
  const RuleId id{std::string(rule.name()), std::string(rule.uid())};
  std::set<Key> pods;
  std::set<std::string> namespaces;
  for (const Claim& claim : caches.claims.list()) {
    if (!uses_selected(claim, rule)) continue;
    each_consumer(caches, claim, [&](const Pod& pod) {
      if (!pod.is_active() || pods.contains(pod.key())) return;
      const Eviction eviction = judge.eviction_of(pod);
      if (!eviction.when || !eviction.rules.contains(id)) return;
      pods.insert(pod.key());
      namespaces.emplace(pod.ns());
    });
  }
  return {static_cast<std::int64_t>(pods.size()), static_cast<std::int64_t>(namespaces.size())};
}

std::int64_t published(const Caches& caches, const Rule& rule) {
  std::int64_t out = 0;
  for (const Slice& slice : caches.slices.list()) {
    const std::int64_t newest = generation_of(caches, slice.driver(), slice.pool());
    if (slice.generation_of_pool() != newest) continue;
    for (const Value each : slice.spec()["devices"].elements()) {
      if (rule.selects(slice.driver(), slice.pool(), each[&Names::name].string())) ++out;
    }
  }
  return out;
}

std::int64_t allocated(const Caches& caches, const Rule& rule) {
  std::int64_t out = 0;
  for (const Claim& claim : caches.claims.list()) {
    each_result(claim, [&](Value result) {
      const Device device = Device::of(result);
      if (rule.selects(device.driver, device.pool, device.name)) ++out;
    });
  }
  return out;
}

std::string preview(const Caches& caches, const Rule& rule, WallTime now) {
  const Affected affected = affected_by(caches, rule, Judge(caches, now, &rule));
  return counted(published(caches, rule), "published device selected. ",
                 "published devices selected. ") +
         counted(allocated(caches, rule), "allocated device selected. ",
                 "allocated devices selected. ") +
         counted(affected.pods, "pod would be evicted in ", "pods would be evicted in ") +
         counted(affected.namespaces, "namespace", "different namespaces") +
         " if the effect was NoExecute. This information will not be updated again. Recreate the "
         "DeviceTaintRule to trigger an update.";
}

}  // namespace

RuleCondition rule_condition(const Caches& caches, const Rule& rule, std::int64_t evicted,
                             WallTime now) {
  RuleCondition out{"False", "", ""};
  if (rule.effect() == kNoExecute) {
    const Affected pending = affected_by(caches, rule, Judge(caches, now));
    if (pending.pods > 0) {
      out.status = "True";
      out.reason = "PodsPendingEviction";
      out.message =
          counted(pending.pods, "pod needs to be evicted in ", "pods need to be evicted in ") +
          counted(pending.namespaces, "namespace.", "different namespaces.");
    } else {
      out.reason = evicted > 0 ? "Completed" : "NotStarted";
    }
  } else if (rule.effect() == "None") {
    out.reason = "NoEffect";
    out.message = preview(caches, rule, now);
  } else {
    out.reason = "OtherEffect";
    out.message = "Eviction only happens for the NoExecute effect.";
  }
  if (evicted > 0) {
    if (!out.message.empty()) out.message += " ";
    out.message += counted(evicted, "pod", "pods") + " evicted since starting the controller.";
  }
  return out;
}

std::optional<Duration> status_rest(const Rule& rule, WallTime now) {
  const std::optional<ConditionView> current =
      find_condition(rule.status()[&Names::conditions], kType);
  if (!current || current->observed_generation() != rule.generation()) return std::nullopt;
  const std::optional<WallTime> written = current->last_transition_time();
  // After a clock was set back, a time that lies ahead says nothing (D13).
  if (!written || *written > now) return std::nullopt;
  const Duration rest = *written + kStatusPeriod - now;
  return rest > Duration::zero() ? std::optional(rest) : std::nullopt;
}

std::string rule_status_body(const Rule& rule, const RuleCondition& wanted, WallTime now) {
  const std::optional<ConditionView> current =
      find_condition(rule.status()[&Names::conditions], kType);
  if (current && current->observed_generation() == rule.generation() &&
      current->status() == wanted.status && current->reason() == wanted.reason &&
      current->message() == wanted.message) {
    return "";
  }
  JsonWriter out;
  out.begin_object().member("apiVersion", Rule::kResource.api_version());
  out.member("kind", Rule::kResource.kind).key("metadata").begin_object();
  out.member("name", rule.name()).member("uid", rule.uid()).end_object();
  out.key("status").begin_object().key("conditions").begin_array().begin_object();
  out.member("type", kType).member("status", wanted.status).member("reason", wanted.reason);
  out.member("message", wanted.message).member("observedGeneration", rule.generation());
  out.member("lastTransitionTime", format_time(now));
  out.end_object().end_array().end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::devicetaint
