/// Whether a client takes what a path has, before anything is done for it.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "sandbox/kinds/api_error.hpp"

namespace davit::sandbox {

/// The types that most paths offer.
inline constexpr std::array<std::string_view, 3> kObjectTypes = {
    "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"};

/// The 406 of the router, which knows a path's types by their exact names and "*/*" (k8s:
/// go-restful).
[[nodiscard]] ApiFailure check_route(std::string_view accept,
                                     std::span<const std::string_view> types);

/// The 406 of the documents of discovery, which are not served as anything else.
[[nodiscard]] ApiFailure check_document(std::string_view accept);

}  // namespace davit::sandbox
