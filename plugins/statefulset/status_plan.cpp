#include "plugins/statefulset/status_plan.hpp"

namespace davit::statefulset {

SetStatus read_status(Value status) {
  return {.observed_generation = status[&Names::observed_generation].integer_or(0),
          .replicas = status[&Names::replicas].integer_or(0),
          .ready = status[&Names::ready_replicas].integer_or(0),
          .available = status[&Names::available_replicas].integer_or(0),
          .current = status["currentReplicas"].integer_or(0),
          .updated = status[&Names::updated_replicas].integer_or(0),
          .current_revision = std::string(status["currentRevision"].string()),
          .update_revision = std::string(status["updateRevision"].string()),
          .collision_count = status[&Names::collision_count].integer_or(0)};
}

void count_pods(std::span<const PodState> pods, SetStatus& status) {
  for (const PodState& pod : pods) {
    if (!pod.is_created()) continue;
    ++status.replicas;
    if (pod.is_running_and_ready()) {
      ++status.ready;
      if (pod.available) ++status.available;
    }
    if (pod.terminating) continue;
    if (pod.revision == status.current_revision) ++status.current;
    if (pod.revision == status.update_revision) ++status.updated;
  }
}

void complete_update(std::int64_t wanted_replicas, SetStatus& status) {
  if (status.updated != wanted_replicas || status.ready != wanted_replicas ||
      status.replicas != wanted_replicas) {
    return;
  }
  status.current = status.updated;
  status.current_revision = status.update_revision;
}

bool is_worth_a_write(const SetStatus& stored, const SetStatus& wanted) {
  if (wanted.observed_generation > stored.observed_generation) return true;
  SetStatus same = wanted;
  same.observed_generation = stored.observed_generation;
  same.collision_count = stored.collision_count;
  return same != stored;
}

}  // namespace davit::statefulset
