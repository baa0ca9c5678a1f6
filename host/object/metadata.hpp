/// The metadata that the host reads of every object; recorded during parsing, so that reading it
/// costs nothing.
#pragma once

#include <davit/result.hpp>
#include <string_view>

#include "host/object/object.hpp"

namespace davit::host {

/// A member is empty if the object has no such string. The views live as long as the object.
struct Metadata {
  std::string_view ns;
  std::string_view name;
  std::string_view uid;
  std::string_view resource_version;
};
[[nodiscard]] Metadata metadata(const Object& object);

/// Checks that the metadata that every reader uses has the API's types: the name, and all other
/// members that are present and kept. kInvalid names the member.
[[nodiscard]] Status check_metadata(const ObjectRef& object);

/// The UID of the first owner reference whose `controller` is true; empty without one.
[[nodiscard]] std::string_view controller_uid(const Object& object);

}  // namespace davit::host
