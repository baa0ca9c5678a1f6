/// The rules of what a provider of a cloud writes (davit/cloud.h). Pure.
#pragma once

#include <davit/result.hpp>
#include <string_view>

namespace davit::host {

/// Whether `text` is a core/v1 LoadBalancerStatus that the API server would store as it is: JSON,
/// known members, canonical addresses, names of hosts. kInvalid names the place. Rule:
/// docs/spec/cloud.md, E2 and 0.5.
[[nodiscard]] Status check_load_balancer_status(std::string_view text);
/// Whether `text` is what davit_instances.metadata may write: JSON, known members, addresses of
/// known types, those of IP in canonical form. Names of labels and their values are the server's to
/// judge.
[[nodiscard]] Status check_machine_metadata(std::string_view text);
/// The same for davit_routes.list. A destination may have any text, because other programs also
/// create routes.
[[nodiscard]] Status check_route_list(std::string_view text);

}  // namespace davit::host
