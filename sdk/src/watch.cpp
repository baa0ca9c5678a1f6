#include <davit/kube/owner_reference.hpp>
#include <davit/watch.hpp>
#include <string>

namespace davit::detail {

void add_owners(const Queue& queue, const ObjectView& owned, const Resource& owner, OwnedBy by,
                OwnerScope scope) {
  for (const Value each : owned.owner_references().elements()) {
    const OwnerReference reference(each);
    const std::string_view version = reference.api_version();
    const std::size_t slash = version.find('/');
    const std::string_view group =
        slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
    if (reference.kind() != owner.kind || group != owner.group) continue;
    if (by == OwnedBy::kController && !reference.is_controller()) continue;
    const std::string_view ns = scope == OwnerScope::kCluster ? std::string_view() : owned.ns();
    queue.add(Key{std::string(ns), std::string(reference.name())});
  }
}

}  // namespace davit::detail
