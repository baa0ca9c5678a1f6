#include "plugins/deployment/set_scaler.hpp"

#include <davit/json_writer.hpp>
#include <utility>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/history_plan.hpp"

namespace davit::deployment {

Result<bool> SetScaler::resize_all(const std::vector<Resize>& plan, Marking marking) {
  bool any = false;
  for (const Resize& step : plan) {
    const Result<bool> resized = resize(step.set, step.to, marking);
    if (!resized) return resized.error();
    any = any || *resized;
  }
  return any;
}

Result<bool> SetScaler::resize(std::size_t i, std::int64_t to, Marking marking) {
  OwnedSet& set = state_.sets[i];
  const bool has_size = set.size == to;
  if (has_size && (marking == Marking::kWithSize || set.is_marked)) return false;

  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("resourceVersion", set.version);
  body.key("annotations").begin_object();
  body.member(kDesiredReplicas, std::to_string(state_.rollout.replicas));
  body.member(kMaxReplicas, std::to_string(state_.rollout.replicas_max()));
  body.end_object().end_object();
  if (!has_size) body.key("spec").begin_object().member("replicas", to).end_object();
  body.end_object();
  const Result<ReplicaSet> response = state_.cluster.client.patch<ReplicaSet>(
      set.snapshot.key(), PatchType::kMerge, std::move(body).text(), {.answer = Answer::kMetadata});
  if (!response) return response.error();

  const std::int64_t from = std::exchange(set.size, to);
  set.version = response->resource_version();
  set.is_marked = true;
  if (has_size) return false;
  const std::string direction = to > from ? "up" : "down";
  state_.cluster.events.normal(state_.deployment, "ScalingReplicaSet",
                               "Scaled " + direction + " replica set " +
                                   std::string(state_.facts[i].name) + " from " +
                                   std::to_string(from) + " to " + std::to_string(to));
  return true;
}

Status SetScaler::clean_up_history() {
  for (const std::size_t i : plan_history_cleanup(state_.rollout, state_.list())) {
    const Status s = state_.cluster.client.remove<ReplicaSet>(state_.sets[i].snapshot.key());
    if (!s.unless(Code::kNotFound).ok()) return s;
  }
  return {};
}

}  // namespace davit::deployment
