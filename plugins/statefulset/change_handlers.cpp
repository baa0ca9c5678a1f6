#include "plugins/statefulset/change_handlers.hpp"

#include <optional>

#include "plugins/shared/owners/owners.hpp"
#include "plugins/statefulset/identity.hpp"

namespace davit::statefulset {

void ChangeHandlers::pod_added(const Pod& pod) const {
  // After a restart a pod can show up for the first time while it is being deleted already.
  if (pod.is_being_deleted()) return pod_deleted(pod);
  const std::optional<OwnerReference> owner = pod.controller();
  if (!owner) return queue_matching(pod);
  if (const auto set = owners::resolve(sets_, pod.ns(), *owner)) queue_.add(*set);
}

void ChangeHandlers::pod_updated(const Pod& old, const Pod& current) const {
  if (old.resource_version() == current.resource_version()) return;  // A resync.
  const std::optional<OwnerReference> before = old.controller();
  const std::optional<OwnerReference> owner = current.controller();
  const bool owner_changed = before != owner;
  if (owner_changed && before) {
    if (const auto set = owners::resolve(sets_, old.ns(), *before)) queue_.add(*set);
  }
  if (!owner) {
    if (owner_changed || !(old.labels() == current.labels())) queue_matching(current);
    return;
  }
  const Lookup<StatefulSet> set = owners::resolve(sets_, current.ns(), *owner);
  if (!set) return;
  queue_.add(*set);
  if (set->min_ready().count() > 0 && !old.is_ready() && current.is_ready()) {
    queue_.add_after(set->key(), set->min_ready());
  }
}

void ChangeHandlers::pod_deleted(const Pod& pod) const {
  if (const auto set = owners::controller_of(sets_, pod)) queue_.add(*set);
}

void ChangeHandlers::claim_deleted(const PersistentVolumeClaim& claim) const {
  for (const Value each : claim.owner_references().elements()) {
    const OwnerReference reference(each);
    if (reference.kind() != Pod::kResource.kind) continue;
    // A claim of a template is called after its pod; that of an ephemeral volume begins with it.
    const std::string_view pod = reference.name();
    if (!claim.name().ends_with(claim_name({}, pod))) continue;
    const Lookup<StatefulSet> set =
        sets_.get({std::string(claim.ns()), std::string(parse_pod_name(pod).parent)});
    if (set) queue_.add(*set);
  }
}

void ChangeHandlers::queue_matching(const Pod& pod) const {
  for (const StatefulSet& set : owners::matching(sets_, pod)) queue_.add(set);
}

}  // namespace davit::statefulset
