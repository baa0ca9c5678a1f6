/// The metadata that the host itself reads, found on a finished tape. Internal to host/object.
#pragma once

#include "host/object/object_space.hpp"
#include "host/object/tape.hpp"

namespace davit::host {

/// Finds the positions of the metadata of objects; knows the names of its members.
class PlaceFinder {
 public:
  /// `space` must outlive it.
  explicit PlaceFinder(ObjectSpace& space);

  /// The positions on a whole tape that begins at `base`.
  [[nodiscard]] Object::Places find(const tape::Byte* base) const;

 private:
  [[nodiscard]] const tape::Byte* member(const tape::Byte* object, davit_name name) const;
  [[nodiscard]] static std::uint16_t place_of(const tape::Byte* base, const tape::Byte* string);

  const ObjectSpace& space_;
  davit_name metadata_, ns_, name_, uid_, resource_version_, owner_references_, controller_;
};

}  // namespace davit::host
