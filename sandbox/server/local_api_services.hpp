/// The APIService objects of the groups that the server serves itself. There are none in a server
/// with the fewest bootstrap objects.
#pragma once

#include <string>

#include "lib/kube/json.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// Makes those of the built-in groups, and of the custom resources that are served, where they are
/// missing.
void write_local_api_services(const RestParts& parts);

/// The custom resources of `group` have changed: makes what is missing, and deletes the objects of
/// versions that are no longer served.
void keep_local_api_services(const RestParts& parts, const std::string& group);

/// An APIService was written: one that is managed continuously gets its spec back, and goes if its
/// version is not served. k8s: autoRegisterController.checkAPIService of kube-aggregator.
void restore_local_api_service(const RestParts& parts, const Json& object);

}  // namespace davit::sandbox
