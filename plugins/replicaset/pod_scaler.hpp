/// Creating the pods that a ReplicaSet lacks, deleting those that it has too many of.
#pragma once

#include <cstddef>
#include <davit/client.hpp>
#include <davit/context.hpp>
#include <davit/expectations.hpp>
#include <davit/informer.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <vector>

#include "plugins/replicaset/pod_ranking.hpp"

namespace davit::replicaset {

/// Carries out plan_scale() and deletion_order(). Thread-safe: one call a ReplicaSet, several at
/// once.
class PodScaler {
 public:
  /// Opens the metric, so made while the controller is. The references must outlive the scaler.
  PodScaler(Context& cluster, Informer<ReplicaSet> sets, Informer<Pod> pods,
            TrackingExpectations& expectations);

  /// One round toward the wanted number. Waits for all requests of the round; one of their errors.
  [[nodiscard]] Status scale(const ReplicaSet& set, const std::vector<Pod>& active) const;

 private:
  [[nodiscard]] Status create(const ReplicaSet& set, std::size_t count) const;
  [[nodiscard]] Status remove(const ReplicaSet& set, const std::vector<Pod>& victims) const;
  [[nodiscard]] std::vector<Pod> choose(const ReplicaSet& set, const std::vector<Pod>& active,
                                        std::size_t count) const;
  /// Fills in how many active pods of the set and its siblings share each pod's node.
  void count_neighbours(const ReplicaSet& set, std::vector<PodRank>& ranks) const;

  Context& cluster_;
  Informer<ReplicaSet> sets_;
  Informer<Pod> pods_;
  TrackingExpectations& expectations_;
  Metric age_ratio_;
};

}  // namespace davit::replicaset
