#include "plugins/garbagecollector/identity.hpp"

#include <algorithm>
#include <davit/kube/group_version.hpp>

namespace davit::garbage {

std::string_view group_of(std::string_view api_version) {
  return split_api_version(api_version).group;
}

Identity owner_of(const Reference& reference, std::string_view ns) {
  return {reference.kind, reference.api_version, std::string(ns), reference.name, reference.uid};
}

bool is_named_by(const Identity& object, const Reference& reference) {
  return object == owner_of(reference, object.ns);
}

std::vector<Reference> read_references(const ObjectView& object) {
  std::vector<Reference> out;
  for (const Value each : object.owner_references().elements()) {
    const OwnerReference reference(each);
    out.push_back({std::string(reference.api_version()), std::string(reference.kind()),
                   std::string(reference.name()), std::string(reference.uid()),
                   each[&Names::controller].boolean(),
                   each[&Names::block_owner_deletion].boolean()});
  }
  return out;
}

std::vector<std::string> read_finalizers(const ObjectView& object) {
  std::vector<std::string> out;
  for (const Value each : object.metadata()[&Names::finalizers].elements()) {
    out.emplace_back(each.string());
  }
  return out;
}

bool LiveObject::has_finalizer(std::string_view finalizer) const {
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

LiveObject read_live(const ObjectView& object) {
  return {std::string(object.uid()), std::string(object.resource_version()),
          read_references(object), read_finalizers(object), object.is_being_deleted()};
}

}  // namespace davit::garbage
