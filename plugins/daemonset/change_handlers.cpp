#include "plugins/daemonset/change_handlers.hpp"

#include <chrono>
#include <davit/kube/taint.hpp>
#include <optional>

#include "plugins/shared/owners/owners.hpp"

namespace davit::daemonset {
namespace {

/// An absent map equals an empty one.
bool same_labels(const ObjectView& a, const ObjectView& b) {
  if (a.labels().count() == 0 && b.labels().count() == 0) return true;
  return a.labels() == b.labels();
}

}  // namespace

void ChangeHandlers::set_updated(const DaemonSet& old, const DaemonSet& current) const {
  // The deletion between the two was missed.
  if (old.uid() != current.uid()) set_deleted(old);
  queues_.sets.add(current);
}

void ChangeHandlers::set_deleted(const DaemonSet& set) const {
  // A set recreated under this name must not wait for the old one's expectations.
  expectations_.erase(set.key());
  queues_.sets.add(set);
}

void ChangeHandlers::revision_added(const ControllerRevision& revision) const {
  if (revision.is_being_deleted()) return revision_deleted(revision);
  if (!revision.controller()) queue_matching(revision);
}

void ChangeHandlers::revision_updated(const ControllerRevision& old,
                                      const ControllerRevision& current) const {
  if (old.resource_version() == current.resource_version()) return;  // A resync.
  const bool owner_changed = queue_old_controller(old, current);
  if (current.controller()) {
    if (const auto set = owners::controller_of(sets_, current)) queues_.sets.add(*set);
  } else if (owner_changed || !same_labels(old, current)) {
    queue_matching(current);
  }
}

void ChangeHandlers::revision_deleted(const ControllerRevision& revision) const {
  if (const auto set = owners::controller_of(sets_, revision)) queues_.sets.add(*set);
}

void ChangeHandlers::pod_added(const Pod& pod) const {
  // After a restart a pod can show up for the first time while it is being deleted already.
  if (pod.is_being_deleted()) return pod_deleted(pod);
  if (!pod.controller()) return queue_matching(pod);
  const Lookup<DaemonSet> set = owners::controller_of(sets_, pod);
  if (!set) return;
  expectations_.creation_observed(set->key());
  queues_.sets.add(*set);
}

void ChangeHandlers::pod_updated(const Pod& old, const Pod& current) const {
  if (old.resource_version() == current.resource_version()) return;  // A resync.
  if (current.is_being_deleted()) return pod_deleted(current);
  const bool owner_changed = queue_old_controller(old, current);
  if (!current.controller()) {
    if (owner_changed || !same_labels(old, current)) queue_matching(current);
    return;
  }
  const Lookup<DaemonSet> set = owners::controller_of(sets_, current);
  if (!set) return;
  queues_.sets.add(*set);
  if (set->min_ready().count() > 0 && !old.is_ready() && current.is_ready()) {
    // A second more, because the server rounds the time of the transition down.
    queues_.sets.add_after(set->key(), set->min_ready() + std::chrono::seconds(1));
  }
}

void ChangeHandlers::pod_deleted(const Pod& pod) const {
  const Lookup<DaemonSet> set = owners::controller_of(sets_, pod);
  if (!set) return;
  expectations_.deletion_observed(set->key(), pod.key());
  queues_.sets.add(*set);
}

void ChangeHandlers::node_updated(const Node& old, const Node& current) const {
  const bool same =
      same_labels(old, current) && taints_from(old.taints()) == taints_from(current.taints());
  if (!same) queues_.nodes.add(current);
}

bool ChangeHandlers::queue_old_controller(const ObjectView& old, const ObjectView& current) const {
  const std::optional<OwnerReference> before = old.controller();
  if (before == current.controller()) return false;
  if (before) {
    if (const auto set = owners::resolve(sets_, old.ns(), *before)) queues_.sets.add(*set);
  }
  return true;
}

void ChangeHandlers::queue_matching(const ObjectView& object) const {
  for (const DaemonSet& set : owners::matching(sets_, object)) queues_.sets.add(set);
}

}  // namespace davit::daemonset
