/// ReplicaSet: a typed view of what controllers read.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/kube/condition.hpp>
#include <davit/kube/metadata.hpp>
#include <optional>
#include <string_view>

namespace davit {

/// A ReplicaSet of apps/v1.
class ReplicaSet : public ObjectView {
 public:
  static constexpr Resource kResource{"apps", "v1", "replicasets", "ReplicaSet"};
  using ObjectView::ObjectView;

  /// spec.replicas; the API server's default of 1 when absent.
  [[nodiscard]] std::int64_t replicas() const { return spec()[&Names::replicas].integer_or(1); }
  [[nodiscard]] std::chrono::seconds min_ready() const {
    return std::chrono::seconds(spec()[&Names::min_ready_seconds].integer_or(0));
  }
  /// A LabelSelector; see Selector::parse.
  [[nodiscard]] Value selector() const { return spec()[&Names::selector]; }
  [[nodiscard]] Value pod_template() const { return spec()[&Names::pod_template]; }

  [[nodiscard]] std::int64_t status_replicas() const { return count(&Names::replicas); }
  [[nodiscard]] std::int64_t fully_labeled_replicas() const {
    return count(&Names::fully_labeled_replicas);
  }
  [[nodiscard]] std::int64_t ready_replicas() const { return count(&Names::ready_replicas); }
  [[nodiscard]] std::int64_t available_replicas() const {
    return count(&Names::available_replicas);
  }
  /// Absent differs from 0: a server or controller that does not count them writes nothing.
  [[nodiscard]] std::optional<std::int64_t> terminating_replicas() const {
    return status()[&Names::terminating_replicas].integer();
  }
  [[nodiscard]] std::int64_t observed_generation() const {
    return count(&Names::observed_generation);
  }
  [[nodiscard]] Value conditions() const { return status()[&Names::conditions]; }
  [[nodiscard]] std::optional<ConditionView> condition(std::string_view type) const {
    return find_condition(conditions(), type);
  }

 private:
  [[nodiscard]] std::int64_t count(Name Names::*name) const { return status()[name].integer_or(0); }
};

}  // namespace davit
