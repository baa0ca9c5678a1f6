/// KIND/NAME on a command line, resolved as kubectl does.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "host/api/discovery.hpp"

namespace davit::host {

struct ObjectArgument {
  ResourceInfo resource;
  std::string name;
};

/// "deployment/web", "deploy/web", "Deployment/web", "deployments.apps/web",
/// "deployments.v1.apps/web". If several groups have such a resource, the core one wins, then the
/// server's order. kInvalid: it has not this form. kNotFound: the server has no such resource.
[[nodiscard]] Result<ObjectArgument> resolve_object(std::string_view argument,
                                                    const ApiCatalog& catalog);

}  // namespace davit::host
