/// The usage in the status of ResourceQuotas, as the server's admission keeps it between two counts
/// of the resource quota controller.
#pragma once

#include <string>

#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// Adds what a new object of the namespace uses to quotas. A usage that was never counted stays
/// absent.
void charge_quotas(const RestParts& parts, const std::string& ns, const QuotaCharge& charge);

}  // namespace davit::sandbox
