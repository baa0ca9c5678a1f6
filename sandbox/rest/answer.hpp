/// Objects and lists as answers, in the form that was agreed on.
#pragma once

#include <string>
#include <vector>

#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

/// A stored object in the form of the call's resource.
[[nodiscard]] Response answer_version(const RestParts& parts, const Call& call, int code,
                                      const Version& version);
/// An object with kind and apiVersion. What is not of the call's resource (a Status, a Scale) is
/// never a Table.
[[nodiscard]] Response answer_object(const RestParts& parts, const Call& call, int code,
                                     const Json& object);
/// What a write made: 201 when it was created.
[[nodiscard]] Response answer_written(const RestParts& parts, const Call& call,
                                      const Written& written);
/// A list with this metadata.
[[nodiscard]] Response answer_list(const RestParts& parts, const Call& call,
                                   const std::vector<VersionPtr>& objects, Json metadata);

}  // namespace davit::sandbox
