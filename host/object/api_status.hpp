/// The API server's Status objects as errors.
#pragma once

#include <davit/result.hpp>
#include <string_view>

#include "host/object/object.hpp"

namespace davit::host {

/// A v1 Status object as an error with its detail: an HTTP error body, or the object of a watch's
/// ERROR event. Never ok: an object that claims success or says nothing is kInternal.
Status api_status(Value status);
/// The same from JSON text; kInternal when it is no JSON object.
Status api_status(std::string_view json);

}  // namespace davit::host
