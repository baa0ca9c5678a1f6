/// DeploymentController: rolls ReplicaSets out and back so that the cluster runs what each
/// Deployment specifies. Behaves as kube-controller-manager's; README.md has the table.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/selector.hpp>
#include <optional>
#include <vector>

#include "plugins/deployment/cluster.hpp"

namespace davit::deployment {

/// Holds handles and the times of its last writes; every sync reads everything else again.
/// Handlers run one at a time, syncs on several workers, never two for one Deployment.
class DeploymentController final : public Controller {
 public:
  /// Reads the configuration; an unknown member or value is an error.
  [[nodiscard]] static InitResult open(Context& context);

  DeploymentController(Context& context, Duration write_window);

  [[nodiscard]] Result<Again> sync(const Key& key);

 private:
  [[nodiscard]] Handlers<Deployment> deployment_handlers() const;
  [[nodiscard]] Handlers<ReplicaSet> replica_set_handlers() const;
  [[nodiscard]] Handlers<Pod> pod_handlers() const;

  void on_set_added(const ReplicaSet& set) const;
  void on_set_updated(const ReplicaSet& old, const ReplicaSet& current) const;
  void on_set_deleted(const ReplicaSet& set) const;
  void on_pod_deleted(const Pod& pod) const;

  void add_owner(std::string_view ns, const std::optional<OwnerReference>& reference) const;
  /// Every Deployment that would adopt this set.
  void add_matching(const ReplicaSet& set) const;

  [[nodiscard]] Result<Again> sync_deployment(const Deployment& deployment);
  [[nodiscard]] Result<std::vector<ReplicaSet>> claim(const Deployment& deployment,
                                                      const Selector& selector) const;
  [[nodiscard]] Result<Again> refuse_to_select_all(const Deployment& deployment) const;

  const Context& context_;
  WriteWindow status_window_;
  const Queue queue_;  // Before the caches: their handlers fill it.
  const Cluster cluster_;
};

}  // namespace davit::deployment
