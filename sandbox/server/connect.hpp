/// Admission of requests that connect to a container: exec, attach, port-forward and proxy.
#pragma once

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/rest/url.hpp"

namespace davit::sandbox {

/// Whether a request for this subresource connects, whatever its method.
[[nodiscard]] bool is_connection(std::string_view subresource);

/// Asks webhooks and policies about a connection. Their operation is CONNECT, and the object the
/// options in the query. k8s: ConnectResource of k8s.io/apiserver/pkg/endpoints/handlers.
[[nodiscard]] ApiFailure admit_connection(const Call& call);

}  // namespace davit::sandbox
