/// The metadata that the host itself reads of every object; recorded while parsing, so that reading
/// it costs nothing.
#pragma once

#include <davit/result.hpp>
#include <string_view>

#include "host/object/object.hpp"

namespace davit::host {

/// Empty where the object has no such string. The views live as long as the object.
struct Metadata {
  std::string_view ns;
  std::string_view name;
  std::string_view uid;
  std::string_view resource_version;
};
[[nodiscard]] Metadata metadata(const Object& object);

/// Whether the metadata that every reader uses has the types of the API: a name, and the
/// rest of its metadata if it is there and kept. kInvalid names the member.
[[nodiscard]] Status check_metadata(const ObjectRef& object);

/// The UID of the first owner reference whose `controller` is true; empty without one.
[[nodiscard]] std::string_view controller_uid(const Object& object);

}  // namespace davit::host
