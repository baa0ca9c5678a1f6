/// StatefulSet and PersistentVolumeClaim: typed views, and the labels of their pods.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <davit/kube/metadata.hpp>
#include <string_view>

namespace davit::statefulset {

inline constexpr std::string_view kPodNameLabel = "statefulset.kubernetes.io/pod-name";
inline constexpr std::string_view kPodIndexLabel = "apps.kubernetes.io/pod-index";
inline constexpr std::string_view kRevisionLabel = "controller-revision-hash";

class StatefulSet : public ObjectView {
 public:
  static constexpr Resource kResource{"apps", "v1", "statefulsets", "StatefulSet"};
  using ObjectView::ObjectView;

  /// The API server's default of 1 when absent; never negative.
  [[nodiscard]] std::int64_t replicas() const {
    return std::max<std::int64_t>(spec()[&Names::replicas].integer_or(1), 0);
  }
  /// The ordinal of the first pod.
  [[nodiscard]] std::int64_t first_ordinal() const {
    return std::max<std::int64_t>(spec()["ordinals"]["start"].integer_or(0), 0);
  }
  /// Whether pods are created and deleted without waiting for one another.
  [[nodiscard]] bool is_parallel() const {
    return spec()["podManagementPolicy"].string() == "Parallel";
  }
  [[nodiscard]] std::chrono::seconds min_ready() const {
    return std::chrono::seconds(spec()[&Names::min_ready_seconds].integer_or(0));
  }
  [[nodiscard]] std::int64_t revision_history_limit() const {
    return spec()[&Names::revision_history_limit].integer_or(10);
  }
  /// A LabelSelector; see Selector::parse.
  [[nodiscard]] Value selector() const { return spec()[&Names::selector]; }
  [[nodiscard]] Value pod_template() const { return spec()[&Names::pod_template]; }
  [[nodiscard]] Value claim_templates() const { return spec()["volumeClaimTemplates"]; }
  [[nodiscard]] std::string_view service_name() const { return spec()["serviceName"].string(); }
  [[nodiscard]] std::string_view strategy() const {
    return spec()["updateStrategy"][&Names::type].string();
  }
  /// Absent when the strategy has no parameters, which differs from partition 0.
  [[nodiscard]] Value rolling_update() const {
    return spec()["updateStrategy"][&Names::rolling_update];
  }
  [[nodiscard]] Value retention_policy() const {
    return spec()["persistentVolumeClaimRetentionPolicy"];
  }

  [[nodiscard]] std::int64_t collision_count() const {
    return status()[&Names::collision_count].integer_or(0);
  }
  [[nodiscard]] std::string_view current_revision() const {
    return status()["currentRevision"].string();
  }
};

class PersistentVolumeClaim : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"};
  using ObjectView::ObjectView;
};

}  // namespace davit::statefulset
