/// Pod: a typed view with upstream's predicates.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <davit/kube/condition.hpp>
#include <davit/kube/metadata.hpp>
#include <optional>
#include <string_view>

namespace davit {

/// The highest restart count of one regular container, and of one init container with restartPolicy
/// Always (a sidecar). Other init containers and ephemeral containers do not count.
struct PodRestarts {
  std::int64_t containers = 0;
  std::int64_t sidecars = 0;
};

/// A Pod from an informer or a response.
class Pod : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "pods", "Pod"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view phase() const { return status()[&Names::phase].string(); }
  /// Empty while the pod is not scheduled.
  [[nodiscard]] std::string_view node_name() const { return spec()[&Names::node_name].string(); }
  [[nodiscard]] std::optional<ConditionView> condition(std::string_view type) const {
    return find_condition(status()[&Names::conditions], type);
  }

  /// Succeeded or Failed: it will never run again.
  [[nodiscard]] bool is_finished() const {
    const std::string_view phase = this->phase();
    return phase == "Succeeded" || phase == "Failed";
  }
  /// Neither finished nor being deleted.
  [[nodiscard]] bool is_active() const { return !is_finished() && !is_being_deleted(); }
  /// Being deleted and not finished.
  [[nodiscard]] bool is_terminating() const { return !is_finished() && is_being_deleted(); }

  /// Whether the Ready condition is True, regardless of the phase.
  [[nodiscard]] bool is_ready() const {
    const std::optional<ConditionView> ready = condition("Ready");
    return ready && ready->is_true();
  }
  /// The time since which the Ready condition has its current status.
  [[nodiscard]] std::optional<WallTime> ready_transition_time() const {
    const std::optional<ConditionView> ready = condition("Ready");
    return ready ? ready->last_transition_time() : std::nullopt;
  }
  /// Whether it has been ready for at least `min_ready`.
  [[nodiscard]] bool is_available(std::chrono::seconds min_ready, WallTime now) const {
    if (!is_ready()) return false;
    if (min_ready.count() == 0) return true;
    const std::optional<WallTime> since = ready_transition_time();
    return since && *since + min_ready <= now;
  }

  [[nodiscard]] PodRestarts restarts() const {
    PodRestarts restarts;
    for (const Value each : status()[&Names::container_statuses].elements()) {
      restarts.containers = std::max(restarts.containers, restart_count(each));
    }
    for (const Value each : status()[&Names::init_container_statuses].elements()) {
      if (!is_sidecar(each[&Names::name].string())) continue;
      restarts.sidecars = std::max(restarts.sidecars, restart_count(each));
    }
    return restarts;
  }

 private:
  static std::int64_t restart_count(Value status) {
    return status[&Names::restart_count].integer_or(0);
  }
  [[nodiscard]] bool is_sidecar(std::string_view container) const {
    for (const Value each : spec()[&Names::init_containers].elements()) {
      if (each[&Names::name].string() == container) {
        return each[&Names::restart_policy].string() == "Always";
      }
    }
    return false;
  }
};

}  // namespace davit
