/// The owners of pods whose replicas are read from caches, beside ReplicaSets and Deployments.
#pragma once

#include <cstdint>
#include <davit/kube/metadata.hpp>

namespace davit::disruption {

class ReplicationController : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "replicationcontrollers", "ReplicationController"};
  using ObjectView::ObjectView;

  /// spec.replicas; the API server's default of 1 when absent.
  [[nodiscard]] std::int64_t replicas() const { return spec()[&Names::replicas].integer_or(1); }
};

class StatefulSet : public ObjectView {
 public:
  static constexpr Resource kResource{"apps", "v1", "statefulsets", "StatefulSet"};
  using ObjectView::ObjectView;

  /// spec.replicas; the API server's default of 1 when absent.
  [[nodiscard]] std::int64_t replicas() const { return spec()[&Names::replicas].integer_or(1); }
};

}  // namespace davit::disruption
