/// The numbers of abi.h that a request consists of, as the REST client's enums.
#pragma once

#include <cstdint>

#include "host/api/api_request.hpp"

namespace davit::host {

/// DAVIT_GET … DAVIT_DELETE_COLLECTION; any other number is a get, so check foreign requests
/// before.
[[nodiscard]] Verb api_verb(std::int32_t verb);

/// DAVIT_PATCH_JSON … DAVIT_PATCH_APPLY; any other number is a merge patch.
[[nodiscard]] PatchType api_patch(std::int32_t type);

/// DAVIT_PROPAGATION_DEFAULT … DAVIT_PROPAGATION_FOREGROUND; any other number is the default.
[[nodiscard]] Propagation api_propagation(std::int32_t propagation);

}  // namespace davit::host
