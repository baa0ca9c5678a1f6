/// The APIService objects of the groups that the server serves itself. There are none in a server
/// with the fewest bootstrap objects.
#pragma once

#include <string>

#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// Makes those of the built-in groups, and of the custom resources that are served, where they are
/// missing.
void write_local_api_services(const RestParts& parts);

/// The custom resources of `group` have changed: makes what is missing, and deletes the objects of
/// versions that are no longer served.
void keep_local_api_services(const RestParts& parts, const std::string& group);

}  // namespace davit::sandbox
