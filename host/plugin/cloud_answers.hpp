/// The rules of what a provider of a cloud writes (davit/cloud.h). Pure.
#pragma once

#include <davit/result.hpp>
#include <string_view>

namespace davit::host {

/// Whether `text` is a core/v1 LoadBalancerStatus that the API server would store as it is: JSON,
/// known members, canonical addresses, names of hosts. kInvalid names the place. Rule:
/// docs/spec/cloud.md, E2 and 0.5.
[[nodiscard]] Status check_load_balancer_status(std::string_view text);

}  // namespace davit::host
