/// The API server's Status objects as errors.
#pragma once

#include <davit/result.hpp>
#include <string_view>

#include "host/object/object.hpp"

namespace davit::host {

/// A v1 Status object as an error with its detail: an HTTP error body, or the object of a watch's
/// ERROR event. Never ok: an object that claims success or has no content is kInternal.
/// The message of a right that is missing names `davit rbac`, wherever it is shown then.
/// `http_status` is that of the response, for a Status without a code; 0 when there is none.
Status api_status(Value status, int http_status = 0);
/// The same from JSON text, or from protobuf in its envelope; kInternal if it is neither.
Status api_status(std::string_view body);

}  // namespace davit::host
