/// The status of a StatefulSet, and when it may change without any event. Pure.
///
/// Rules: docs/spec/statefulset.md, 14 and 16.
#pragma once

#include <cstdint>
#include <davit/object.hpp>
#include <span>
#include <string>
#include <string_view>

#include "plugins/statefulset/pod_state.hpp"

namespace davit::statefulset {

struct SetStatus {
  std::int64_t observed_generation = 0;
  std::int64_t replicas = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  std::int64_t current = 0;
  std::int64_t updated = 0;
  std::string current_revision{};
  std::string update_revision{};
  std::int64_t collision_count = 0;

  friend bool operator==(const SetStatus&, const SetStatus&) = default;
};

/// The status that is stored.
[[nodiscard]] SetStatus read_status(Value status);

/// Fills in the counters but observed_generation and collision_count; the names of the revisions
/// are there already.
void count_pods(std::span<const PodState> pods, SetStatus& status);

/// A rolling update is complete once all pods are of the update revision and ready: it becomes the
/// current one.
void complete_update(std::int64_t wanted_replicas, SetStatus& status);

/// Whether the status is worth a write. The collision count alone is not.
[[nodiscard]] bool is_worth_a_write(const SetStatus& stored, const SetStatus& wanted);

}  // namespace davit::statefulset
