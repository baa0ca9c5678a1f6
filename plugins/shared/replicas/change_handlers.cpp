#include "plugins/shared/replicas/change_handlers.hpp"

#include <optional>

#include "plugins/shared/owners/owners.hpp"

namespace davit::replicas {

template <typename Set>
void ChangeHandlers<Set>::set_updated(const Set& old, const Set& current) const {
  // The deletion between the two was missed.
  if (old.uid() != current.uid()) set_deleted(old);
  queue_.add(current);
}

template <typename Set>
void ChangeHandlers<Set>::set_deleted(const Set& set) const {
  // A set recreated under this name must not wait for the old one's expectations.
  expectations_.erase(set.key());
  queue_.add(set);
}

template <typename Set>
void ChangeHandlers<Set>::pod_added(const Pod& pod) const {
  // After a restart a pod can show up for the first time while it is being deleted already.
  if (pod.is_being_deleted()) return pod_deleted(pod);
  if (!pod.controller()) return queue_matching(pod);
  const Lookup<Set> set = owners::controller_of(sets_, pod);
  if (!set) return;
  expectations_.creation_observed(set->key());
  queue_.add(*set);
}

template <typename Set>
void ChangeHandlers<Set>::pod_updated(const Pod& old, const Pod& current) const {
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
    if (const auto set = owners::resolve(sets_, old.ns(), *old_owner)) queue_.add(*set);
  }
  if (!owner) {
    if (labels_changed || owner_changed) queue_matching(current);
    return;
  }
  const Lookup<Set> set = owners::resolve(sets_, current.ns(), *owner);
  if (!set) return;
  queue_.add(*set);
  if (set->min_ready().count() > 0 && !old.is_ready() && current.is_ready()) {
    queue_.add_after(set->key(), set->min_ready());
  }
}

template <typename Set>
void ChangeHandlers<Set>::pod_deleted(const Pod& pod) const {
  const Lookup<Set> set = owners::controller_of(sets_, pod);
  if (!set) return;
  expectations_.deletion_observed(set->key(), pod.key());
  queue_.add(*set);
}

template <typename Set>
void ChangeHandlers<Set>::queue_matching(const Pod& pod) const {
  const auto selector = [](const Set& set) { return selector_of(set); };
  for (const Set& set : owners::matching(sets_, pod, selector)) queue_.add(set);
}

template class ChangeHandlers<ReplicaSet>;
template class ChangeHandlers<ReplicationController>;

}  // namespace davit::replicas
