/// The usage in the status of ResourceQuotas, as the server's admission keeps it between two counts
/// of the resource quota controller.
#pragma once

#include <string>
#include <vector>

#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// Adds what a new object uses to these quotas of its namespace. A usage that was never counted
/// stays absent.
void charge_quotas(const RestParts& parts, const std::vector<std::string>& quotas,
                   const Resource& resource, const std::string& ns, const Json& object);

}  // namespace davit::sandbox
