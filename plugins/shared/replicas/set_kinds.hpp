/// The kinds that keep a number of pods alive, and the few things in which they differ.
#pragma once

#include <davit/kube/replica_set.hpp>
#include <davit/kube/selector.hpp>
#include <string_view>

namespace davit::replicas {

/// It has a ReplicaSet's fields, but its selector is a map of labels and may change.
class ReplicationController : public ReplicaSet {
 public:
  static constexpr Resource kResource{"", "v1", "replicationcontrollers", "ReplicationController"};
  using ReplicaSet::ReplicaSet;
};

/// kInvalid: the selector cannot be read.
[[nodiscard]] inline Result<Selector> selector_of(const ReplicaSet& set) {
  return Selector::parse(set.selector());
}
[[nodiscard]] inline Result<Selector> selector_of(const ReplicationController& set) {
  return Selector::of_labels(set.selector());
}

/// Rule: docs/spec/small-controllers.md, A1 and A2.
template <typename Set>
struct SetKind;

template <>
struct SetKind<ReplicaSet> {
  static constexpr std::string_view kQueue = "replicaset";
  static constexpr std::string_view kLogField = "replicaset";
  /// Whether the status has terminatingReplicas, on servers that store it.
  static constexpr bool kCountsTerminating = true;
  /// Whether pods that share a node with pods of sets of the same controller are deleted first.
  static constexpr bool kSpreadsOverNodes = true;
};

template <>
struct SetKind<ReplicationController> {
  static constexpr std::string_view kQueue = "replicationmanager";
  static constexpr std::string_view kLogField = "replicationcontroller";
  static constexpr bool kCountsTerminating = false;
  static constexpr bool kSpreadsOverNodes = false;
};

}  // namespace davit::replicas
