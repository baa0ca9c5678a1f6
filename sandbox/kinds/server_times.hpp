/// The times that the server sets in an object when a client leaves them out.
#pragma once

#include <string>

#include "lib/kube/json.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// Sets missing times of a new or changed object to `now`, and those that follow a change: the part
/// of the API's defaulting that needs a clock. `old` is null for a new object.
void set_times(const Resource& resource, Json& object, const Json* old, const std::string& now);

}  // namespace davit::sandbox
