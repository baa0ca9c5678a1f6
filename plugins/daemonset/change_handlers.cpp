#include "plugins/daemonset/change_handlers.hpp"

#include <davit/kube/taint.hpp>
#include <optional>

#include "plugins/shared/owners/owners.hpp"

namespace davit::daemonset {

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
  } else if (owner_changed || !owners::same_labels(old, current)) {
    queue_matching(current);
  }
}

void ChangeHandlers::revision_deleted(const ControllerRevision& revision) const {
  if (const auto set = owners::controller_of(sets_, revision)) queues_.sets.add(*set);
}

void ChangeHandlers::node_updated(const Node& old, const Node& current) const {
  const bool same = owners::same_labels(old, current) &&
                    taints_from(old.taints()) == taints_from(current.taints());
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
