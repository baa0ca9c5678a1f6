#include "host/object/object_places.hpp"

namespace davit::host {

using tape::Byte;
using tape::Tag;

PlaceFinder::PlaceFinder(ObjectSpace& space)
    : space_(space),
      metadata_(space.intern("metadata")),
      ns_(space.intern("namespace")),
      name_(space.intern("name")),
      uid_(space.intern("uid")),
      resource_version_(space.intern("resourceVersion")),
      owner_references_(space.intern("ownerReferences")),
      controller_(space.intern("controller")) {}

Object::Places PlaceFinder::find(const Byte* base) const {
  Object::Places places;
  const Byte* metadata = member(base, metadata_);
  if (metadata == nullptr || tape::tag_of(*metadata) != Tag::kObject) return places;
  places.ns = place_of(base, member(metadata, ns_));
  places.name = place_of(base, member(metadata, name_));
  places.uid = place_of(base, member(metadata, uid_));
  places.resource_version = place_of(base, member(metadata, resource_version_));
  const Byte* owners = member(metadata, owner_references_);
  if (owners == nullptr || tape::tag_of(*owners) != Tag::kArray) return places;
  const tape::Entries range = tape::entries(owners);
  for (const Byte* owner = range.begin; owner < range.end; owner = tape::skip(owner)) {
    const Byte* controls = member(owner, controller_);
    if (controls == nullptr || tape::tag_of(*controls) != Tag::kTrue) continue;
    places.controller_uid = place_of(base, member(owner, uid_));
    break;
  }
  return places;
}

const Byte* PlaceFinder::member(const Byte* object, davit_name name) const {
  if (object == nullptr || tape::tag_of(*object) != Tag::kObject) return nullptr;
  return tape::find(object, name, space_.text(name));
}

std::uint16_t PlaceFinder::place_of(const Byte* base, const Byte* string) {
  if (string == nullptr) return Object::Places::kNone;
  const Tag tag = tape::tag_of(*string);
  if (tag != Tag::kString && tag != Tag::kReference) return Object::Places::kNone;
  const auto offset = static_cast<std::size_t>(string - base);
  return offset < Object::Places::kFar ? static_cast<std::uint16_t>(offset) : Object::Places::kFar;
}

}  // namespace davit::host
