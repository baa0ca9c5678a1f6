/// Creating the pods that a ReplicaSet lacks, deleting those that it has too many of.
#pragma once

#include <cstddef>
#include <davit/client.hpp>
#include <davit/context.hpp>
#include <davit/expectations.hpp>
#include <davit/informer.hpp>
#include <davit/kube/pod.hpp>
#include <vector>

#include "plugins/shared/pods/pod_ranking.hpp"
#include "plugins/shared/replicas/set_kinds.hpp"

namespace davit::replicas {

/// Carries out plan_scale() and deletion_order(). Thread-safe: one call a ReplicaSet, several at
/// once.
template <typename Set>
class PodScaler {
 public:
  /// Opens the metric, so made while the controller is. The references must outlive the scaler.
  PodScaler(Context& cluster, Informer<Set> sets, Informer<Pod> pods,
            TrackingExpectations& expectations);

  /// One round toward the wanted number. Waits for all requests of the round; one of their errors.
  [[nodiscard]] Status scale(const Set& set, const std::vector<Pod>& active) const;

 private:
  [[nodiscard]] Status create(const Set& set, std::size_t count) const;
  [[nodiscard]] Status remove(const Set& set, const std::vector<Pod>& victims) const;
  [[nodiscard]] std::vector<Pod> choose(const Set& set, const std::vector<Pod>& active,
                                        std::size_t count) const;
  /// Fills in how many active pods of the set and its siblings share each pod's node.
  void count_neighbours(const Set& set, std::vector<pods::PodRank>& ranks) const;

  Context& cluster_;
  Informer<Set> sets_;
  Informer<Pod> pods_;
  TrackingExpectations& expectations_;
  Metric age_ratio_;
};

}  // namespace davit::replicas
