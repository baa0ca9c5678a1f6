/// Sizes of ReplicaSets, and the end of old ones.
#include <davit/json_writer.hpp>
#include <utility>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/history_plan.hpp"
#include "plugins/deployment/rollout.hpp"

namespace davit::deployment {

/// For a Deployment that is paused or was scaled: sizes change, templates do not. Upstream: sync.
Result<Again> Rollout::scale_and_report() {
  const ScalePlan plan = plan_scale(rollout_, sets(), status_.replicas);
  const Result<bool> resized = resize_all(plan.resizes, plan.marking);
  if (!resized) return resized.error();
  if (deployment_.is_paused() && !rollback_request()) {
    if (Status s = clean_up_history(); !s.ok()) return s;
  }
  return report_counts();
}

Result<bool> Rollout::resize_all(const std::vector<Resize>& plan, Marking marking) {
  bool any = false;
  for (const Resize& step : plan) {
    const Result<bool> resized = resize(step.set, step.to, marking);
    if (!resized) return resized.error();
    any = any || *resized;
  }
  return any;
}

Result<bool> Rollout::resize(std::size_t i, std::int64_t to, Marking marking) {
  OwnedSet& set = sets_[i];
  const bool has_size = set.size == to;
  if (has_size && (marking == Marking::kWithSize || set.is_marked)) return false;

  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("resourceVersion", set.version);
  body.key("annotations").begin_object();
  body.member(kDesiredReplicas, std::to_string(rollout_.replicas));
  body.member(kMaxReplicas, std::to_string(rollout_.replicas_max()));
  body.end_object().end_object();
  if (!has_size) body.key("spec").begin_object().member("replicas", to).end_object();
  body.end_object();
  const Result<ReplicaSet> response = cluster_.client.patch<ReplicaSet>(
      set.snapshot.key(), PatchType::kMerge, std::move(body).text(), {.answer = Answer::kMetadata});
  if (!response) return response.error();

  const std::int64_t from = std::exchange(set.size, to);
  set.version = response->resource_version();
  set.is_marked = true;
  if (has_size) return false;
  const std::string direction = to > from ? "up" : "down";
  cluster_.events.normal(deployment_, "ScalingReplicaSet",
                         "Scaled " + direction + " replica set " + std::string(facts_[i].name) +
                             " from " + std::to_string(from) + " to " + std::to_string(to));
  return true;
}

Status Rollout::clean_up_history() {
  for (const std::size_t i : plan_history_cleanup(rollout_, sets())) {
    const Status s = cluster_.client.remove<ReplicaSet>(sets_[i].snapshot.key());
    if (!s.unless(Code::kNotFound).ok()) return s;
  }
  return {};
}

}  // namespace davit::deployment
