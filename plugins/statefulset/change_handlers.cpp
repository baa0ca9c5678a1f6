#include "plugins/statefulset/change_handlers.hpp"

#include <davit/kube/owner_reference.hpp>
#include <davit/kube/pod.hpp>
#include <string>
#include <string_view>

#include "plugins/statefulset/identity.hpp"

namespace davit::statefulset {

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

}  // namespace davit::statefulset
