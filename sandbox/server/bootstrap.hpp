/// The objects that every cluster has from its first moment.
#pragma once

#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/server/api_server.hpp"

namespace davit::sandbox {

/// Writes those that are missing.
void write_bootstrap_objects(const RestParts& parts, const ApiServerOptions& options);
/// The same for the roles and bindings of a server that enforces RBAC.
void write_bootstrap_policy(const RestParts& parts, const ApiServerOptions& options);

}  // namespace davit::sandbox
