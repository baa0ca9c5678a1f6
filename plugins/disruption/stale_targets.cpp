#include "plugins/disruption/stale_targets.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <utility>

namespace davit::disruption {
namespace {

constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
constexpr std::string_view kByKubelet = "TerminationByKubelet";

}  // namespace

std::optional<Duration> stale_in(const Pod& pod, WallTime now) {
  if (!pod.is_active()) return std::nullopt;
  const std::optional<ConditionView> target = pod.condition(kDisruptionTarget);
  if (!target || !target->is_true() || target->reason() == kByKubelet) return std::nullopt;
  const WallTime since = target->last_transition_time().value_or(kTimeMin);
  return std::max(Duration(0), since + kStaleTimeout - now);
}

std::string end_of_target_patch(const Pod& pod, WallTime now) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("uid", pod.uid());
  body.member("resourceVersion", pod.resource_version()).end_object();
  body.key("status").begin_object().key("conditions").begin_array().begin_object();
  body.member("type", kDisruptionTarget).member("status", "False");
  body.key("reason").null().key("message").null().key("lastProbeTime").null();
  // Servers before v1.33 do not count generations of pods.
  if (pod.generation() > 0) body.member("observedGeneration", pod.generation());
  body.member("lastTransitionTime", format_time(now)).end_object();
  body.end_array().end_object().end_object();
  return std::move(body).text();
}

StaleTargets::StaleTargets(Context& cluster, const Informer<Pod>& pods)
    : cluster_(cluster),
      pods_(pods),
      queue_(cluster.open_queue({.name = "stale_pod_disruption", .workers = 1},
                                [this](const Key& key) { return sync(key); })) {}

void StaleTargets::note(const Pod& pod) const {
  if (const std::optional<Duration> wait = stale_in(pod, cluster_.wall_now())) {
    queue_.add_after(pod.key(), *wait);
  }
}

Result<Again> StaleTargets::sync(const Key& key) const {
  const Lookup<Pod> pod = pods_.get(key);
  if (!pod) return Again::when_changed();
  const WallTime now = cluster_.wall_now();
  const std::optional<Duration> wait = stale_in(*pod, now);
  if (!wait) return Again::when_changed();
  if (*wait > Duration(0)) return Again::after(*wait);
  const Status ended = cluster_.client()
                           .patch<Pod>(key, PatchType::kStrategic, end_of_target_patch(*pod, now),
                                       {.subresource = "status", .answer = Answer::kMetadata})
                           .error();
  if (!ended.ok()) return ended;
  return Again::when_changed();
}

}  // namespace davit::disruption
