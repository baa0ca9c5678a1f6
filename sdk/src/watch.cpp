#include <davit/kube/group_version.hpp>
#include <davit/kube/owner_reference.hpp>
#include <davit/watch.hpp>
#include <string>

namespace davit::detail {

void add_owners(const Queue& queue, const ObjectView& owned, const Resource& owner, OwnedBy by,
                OwnerScope scope) {
  for (const Value each : owned.owner_references().elements()) {
    const OwnerReference reference(each);
    const std::string_view group = split_api_version(reference.api_version()).group;
    if (reference.kind() != owner.kind || group != owner.group) continue;
    if (by == OwnedBy::kController && !reference.is_controller()) continue;
    const std::string_view ns = scope == OwnerScope::kCluster ? std::string_view() : owned.ns();
    queue.add(Key{std::string(ns), std::string(reference.name())});
  }
}

}  // namespace davit::detail
