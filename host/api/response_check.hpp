/// Judges whether the body of a successful response is what its request asked for. Pure.
#pragma once

#include <davit/result.hpp>
#include <string_view>

#include "host/api/api_request.hpp"

namespace davit::host {

/// Checks the body of a response with a code of 2xx to a request for a resource: its kind and
/// apiVersion, the name and namespace that were asked for, and a UID and version where the server
/// keeps the object. kUnavailable for anything else: it says nothing about the object, and a write
/// may have been applied. `sent_body` is the body of the request. An empty response to a
/// deletion is one that was accepted, as in client-go.
[[nodiscard]] Status check_response(const ApiRequest& request, std::string_view sent_body,
                                    std::string_view body);

}  // namespace davit::host
