/// Objects and lists as responses, in the negotiated form.
#pragma once

#include <string>
#include <vector>

#include "sandbox/rest/list.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

/// A stored object in the form of the call's resource.
[[nodiscard]] ApiResult<HttpServerResponse> version_response(const RestParts& parts,
                                                             const Call& call, int code,
                                                             const Version& version);
/// An object with kind and apiVersion. An object that is not of the call's resource (a Status, a
/// Scale) is never a Table.
[[nodiscard]] HttpServerResponse object_response(const RestParts& parts, const Call& call, int code,
                                                 const Json& object);
/// The response to a write: 201 if the object was created.
[[nodiscard]] ApiResult<HttpServerResponse> written_response(const RestParts& parts,
                                                             const Call& call,
                                                             const Written& written);
/// A list.
[[nodiscard]] ApiResult<HttpServerResponse> list_response(const RestParts& parts, const Call& call,
                                                          Page page);

}  // namespace davit::sandbox
