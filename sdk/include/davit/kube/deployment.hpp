/// Deployment: a typed view of what controllers read.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/kube/condition.hpp>
#include <davit/kube/int_or_percent.hpp>
#include <davit/kube/metadata.hpp>
#include <optional>
#include <string_view>

namespace davit {

/// A Deployment of apps/v1, as the informer or a response has it.
class Deployment : public ObjectView {
 public:
  static constexpr Resource kResource{"apps", "v1", "deployments", "Deployment"};
  using ObjectView::ObjectView;

  /// spec.replicas; the API server's default of 1 when absent.
  [[nodiscard]] std::int64_t replicas() const { return spec()[&Names::replicas].integer_or(1); }
  [[nodiscard]] bool is_paused() const { return spec()[&Names::paused].is_true(); }
  [[nodiscard]] std::chrono::seconds min_ready() const {
    return std::chrono::seconds(spec()[&Names::min_ready_seconds].integer_or(0));
  }
  [[nodiscard]] std::optional<std::int64_t> revision_history_limit() const {
    return spec()[&Names::revision_history_limit].integer();
  }
  [[nodiscard]] std::optional<std::chrono::seconds> progress_deadline() const {
    const auto seconds = spec()[&Names::progress_deadline_seconds].integer();
    return seconds ? std::optional(std::chrono::seconds(*seconds)) : std::nullopt;
  }

  /// "RollingUpdate" or "Recreate".
  [[nodiscard]] std::string_view strategy_type() const {
    return spec()[&Names::strategy][&Names::type].string();
  }
  /// An integer or percentage; see IntOrPercent::parse.
  [[nodiscard]] Value max_surge() const { return rolling_update()[&Names::max_surge]; }
  [[nodiscard]] Value max_unavailable() const { return rolling_update()[&Names::max_unavailable]; }

  /// A LabelSelector; see Selector::parse.
  [[nodiscard]] Value selector() const { return spec()[&Names::selector]; }
  [[nodiscard]] Value pod_template() const { return spec()[&Names::pod_template]; }

  [[nodiscard]] std::int64_t status_replicas() const { return count(&Names::replicas); }
  [[nodiscard]] std::int64_t updated_replicas() const { return count(&Names::updated_replicas); }
  [[nodiscard]] std::int64_t ready_replicas() const { return count(&Names::ready_replicas); }
  [[nodiscard]] std::int64_t available_replicas() const {
    return count(&Names::available_replicas);
  }
  [[nodiscard]] std::int64_t unavailable_replicas() const {
    return count(&Names::unavailable_replicas);
  }
  [[nodiscard]] std::optional<std::int64_t> terminating_replicas() const {
    return status()[&Names::terminating_replicas].integer();
  }
  [[nodiscard]] std::int64_t observed_generation() const {
    return count(&Names::observed_generation);
  }
  /// Absent and 0 give different hashes.
  [[nodiscard]] std::optional<std::int64_t> collision_count() const {
    return status()[&Names::collision_count].integer();
  }
  [[nodiscard]] Value conditions() const { return status()[&Names::conditions]; }
  [[nodiscard]] std::optional<ConditionView> condition(std::string_view type) const {
    return find_condition(conditions(), type);
  }

 private:
  [[nodiscard]] Value rolling_update() const {
    return spec()[&Names::strategy][&Names::rolling_update];
  }
  [[nodiscard]] std::int64_t count(Name Names::*name) const { return status()[name].integer_or(0); }
};

}  // namespace davit
