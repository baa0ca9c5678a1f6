#include "plugins/replicaset/change_handlers.hpp"

#include <davit/kube/selector.hpp>

namespace davit::replicaset {

void ChangeHandlers::set_updated(const ReplicaSet& old, const ReplicaSet& current) const {
  // The deletion between the two was missed.
  if (old.uid() != current.uid()) set_deleted(old);
  queue_.add(current);
}

void ChangeHandlers::set_deleted(const ReplicaSet& set) const {
  // A set recreated under this name must not wait for the old one's expectations.
  expectations_.erase(set.key());
  queue_.add(set);
}

void ChangeHandlers::pod_added(const Pod& pod) const {
  // After a restart a pod can show up for the first time while it is being deleted already.
  if (pod.is_being_deleted()) return pod_deleted(pod);
  if (!pod.controller()) return queue_matching(pod);
  const std::optional<ReplicaSet> set = controller_of(pod);
  if (!set) return;
  expectations_.creation_observed(set->key());
  queue_.add(*set);
}

void ChangeHandlers::pod_updated(const Pod& old, const Pod& current) const {
  if (old.resource_version() == current.resource_version()) return;  // A resync.
  const bool labels_changed = !(old.labels() == current.labels());
  if (current.is_being_deleted()) {
    // The kubelet may take its time, and the replacement should not wait for it.
    pod_deleted(current);
    if (labels_changed) pod_deleted(old);
    return;
  }
  const std::optional<OwnerReference> old_owner = old.controller();
  const std::optional<OwnerReference> owner = current.controller();
  const bool owner_changed = old_owner != owner;
  if (owner_changed && old_owner) {
    if (const auto set = resolve(old.ns(), *old_owner)) queue_.add(*set);
  }
  if (!owner) {
    if (labels_changed || owner_changed) queue_matching(current);
    return;
  }
  const std::optional<ReplicaSet> set = resolve(current.ns(), *owner);
  if (!set) return;
  queue_.add(*set);
  if (set->min_ready().count() > 0 && !old.is_ready() && current.is_ready()) {
    queue_.add_after(set->key(), set->min_ready());
  }
}

void ChangeHandlers::pod_deleted(const Pod& pod) const {
  const std::optional<ReplicaSet> set = controller_of(pod);
  if (!set) return;
  expectations_.deletion_observed(set->key(), pod.key());
  queue_.add(*set);
}

std::optional<ReplicaSet> ChangeHandlers::resolve(std::string_view ns,
                                                  const OwnerReference& reference) const {
  if (reference.kind() != ReplicaSet::kResource.kind) return std::nullopt;
  const std::optional<ReplicaSet> set = sets_.get(ns, reference.name());
  if (!set || set->uid() != reference.uid()) return std::nullopt;
  return set;
}

std::optional<ReplicaSet> ChangeHandlers::controller_of(const Pod& pod) const {
  const std::optional<OwnerReference> reference = pod.controller();
  return reference ? resolve(pod.ns(), *reference) : std::nullopt;
}

void ChangeHandlers::queue_matching(const Pod& pod) const {
  if (pod.labels().count() == 0) return;
  for (const ReplicaSet& set : sets_.in_namespace(pod.ns())) {
    const Result<Selector> selector = Selector::parse(set.selector());
    if (selector && !selector->empty() && selector->matches(pod.labels())) queue_.add(set);
  }
}

}  // namespace davit::replicaset
