/// The way of an object that admission has changed back into the write.
#pragma once

#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "sandbox/rest/decode.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// The type of the objects that requests for a resource, or for a subresource of it, carry.
[[nodiscard]] BodyType admitted_type(const Resource& resource, std::string_view subresource);

/// The error of upstream's decoder for a value that is no object.
[[nodiscard]] std::string no_object_text(const Json& value);

struct MutatedObject {
  Json object;
  std::string error;  ///< Why the object is invalid for its kind; empty: `object` is set.
};
/// `object`, which admission saw and changed in the form of `matched`, as the object of `write`:
/// conformed, converted, with defaults. `unknown`: what becomes of fields that the kind lacks.
[[nodiscard]] MutatedObject adopt_mutated(const RestParts& parts, Json object,
                                          const Resource& matched, const JudgedWrite& write,
                                          FieldValidation unknown);

}  // namespace davit::sandbox
