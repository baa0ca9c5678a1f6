/// Requests as plugins write them, checked and converted. Pure.
#pragma once

#include <davit/abi.h>

#include <cstdint>
#include <davit/result.hpp>
#include <string_view>

#include "host/api/api_request.hpp"

namespace davit::host {

/// The RBAC verb; empty for a number that is not DAVIT_GET … DAVIT_DELETE_COLLECTION.
[[nodiscard]] std::string_view rbac_verb(std::int32_t verb);

/// kMisuse for numbers that abi.h does not define, because they could mean anything, and for
/// members that the verb does not have.
[[nodiscard]] Status check_form(const davit_request& request);

/// `client_name` is the field manager of an apply that names none.
[[nodiscard]] ApiRequest to_api_request(const davit_request& from, std::string_view client_name);

}  // namespace davit::host
