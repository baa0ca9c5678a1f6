/// The API server's Status objects as errors.
#pragma once

#include <davit/result.hpp>
#include <string_view>

#include "host/object/object.hpp"

namespace davit::host {

/// What a controller can do about a Kubernetes reason, or for an unknown one about the HTTP status.
[[nodiscard]] Code code_of(std::string_view reason, int http_status);

/// A v1 Status object as an error with its detail: an HTTP error body, or the object of a watch's
/// ERROR event. Never ok: an object that claims success or says nothing is kInternal. `http_status`
/// is that of the answer, for a Status that tells no code; 0 when there is none.
Status api_status(Value status, int http_status = 0);
/// The same from JSON text; kInternal when it is no JSON object.
Status api_status(std::string_view json);

}  // namespace davit::host
