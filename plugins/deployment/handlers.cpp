/// Which changes wake which Deployment. Handlers add keys and do nothing else.
#include <algorithm>

#include "plugins/deployment/deployment_controller.hpp"

namespace davit::deployment {
namespace {

bool same_reference(const std::optional<OwnerReference>& a,
                    const std::optional<OwnerReference>& b) {
  if (!a || !b) return !a && !b;
  return *a == *b;
}

}  // namespace

Handlers<Deployment> DeploymentController::deployment_handlers() const {
  Handlers<Deployment> handlers;
  handlers.any = [this](const Event<Deployment>& event) { queue_.add(event.current); };
  return handlers;
}

Handlers<ReplicaSet> DeploymentController::replica_set_handlers() const {
  Handlers<ReplicaSet> handlers;
  handlers.added = [this](const ReplicaSet& set) { on_set_added(set); };
  handlers.updated = [this](const ReplicaSet& old, const ReplicaSet& current) {
    on_set_updated(old, current);
  };
  handlers.deleted = [this](const ReplicaSet& set) { on_set_deleted(set); };
  return handlers;
}

Handlers<Pod> DeploymentController::pod_handlers() const {
  Handlers<Pod> handlers;
  handlers.deleted = [this](const Pod& pod) { on_pod_deleted(pod); };
  return handlers;
}

void DeploymentController::on_set_added(const ReplicaSet& set) const {
  // After a restart a set may come to us already on its way out.
  if (set.is_being_deleted()) return on_set_deleted(set);
  const std::optional<OwnerReference> owner = set.controller();
  if (owner) return add_owner(set.ns(), owner);
  add_matching(set);
}

void DeploymentController::on_set_updated(const ReplicaSet& old, const ReplicaSet& current) const {
  if (old.resource_version() == current.resource_version()) return;  // A periodic resync.
  const std::optional<OwnerReference> before = old.controller();
  const std::optional<OwnerReference> owner = current.controller();
  const bool changed_hands = !same_reference(before, owner);
  if (changed_hands) add_owner(old.ns(), before);
  if (owner) return add_owner(current.ns(), owner);
  if (changed_hands || old.labels() != current.labels()) add_matching(current);
}

void DeploymentController::on_set_deleted(const ReplicaSet& set) const {
  add_owner(set.ns(), set.controller());
}

/// A Recreate rollout waits for its last old pod.
void DeploymentController::on_pod_deleted(const Pod& pod) const {
  const std::optional<OwnerReference> owner = pod.controller();
  if (!owner || owner->kind() != ReplicaSet::kResource.kind) return;
  const std::optional<ReplicaSet> set = cluster_.replica_sets.get(pod.ns(), owner->name());
  if (!set || set->uid() != owner->uid()) return;
  const std::optional<OwnerReference> set_owner = set->controller();
  if (!set_owner) return;
  const std::optional<Deployment> deployment = resolve(set->ns(), *set_owner);
  if (!deployment || deployment->strategy_type() != "Recreate") return;
  for (const ReplicaSet& each : cluster_.replica_sets.by_controller(deployment->uid())) {
    if (!cluster_.pods.by_controller(each.uid()).empty()) return;
  }
  queue_.add(*deployment);
}

std::optional<Deployment> DeploymentController::resolve(std::string_view ns,
                                                        const OwnerReference& reference) const {
  if (reference.kind() != Deployment::kResource.kind) return std::nullopt;
  std::optional<Deployment> found = cluster_.deployments.get(ns, reference.name());
  if (!found || found->uid() != reference.uid()) return std::nullopt;
  return found;
}

void DeploymentController::add_owner(std::string_view ns,
                                     const std::optional<OwnerReference>& reference) const {
  if (!reference) return;
  if (const std::optional<Deployment> owner = resolve(ns, *reference)) queue_.add(*owner);
}

void DeploymentController::add_matching(const ReplicaSet& set) const {
  if (set.labels().count() == 0) return;
  for (const Deployment& deployment : cluster_.deployments.in_namespace(set.ns())) {
    const Result<Selector> selector = Selector::parse(deployment.selector());
    if (selector && !selector->empty() && selector->matches(set.labels())) queue_.add(deployment);
  }
}

}  // namespace davit::deployment
