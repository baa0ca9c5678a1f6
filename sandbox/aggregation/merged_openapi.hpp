/// OpenAPI v2 documents of several servers in one. Pure. The rules of kube-openapi/pkg/aggregator.
#pragma once

#include <optional>
#include <string_view>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// The paths of `document` that begin with `prefix`, and the definitions and parameters that they
/// refer to. Nothing: it is not an OpenAPI v2 document.
[[nodiscard]] std::optional<Json> openapi_below(const Json& document, std::string_view prefix);

/// Adds the paths of `source` that `into` lacks, and what they refer to. Where `into` has another
/// definition of the same name, that of `source` is called NAME_v2, or the first free number above.
/// The kinds that a definition stands for do not count as a difference: they are joined.
void merge_openapi(Json& into, const Json& source);

}  // namespace davit::sandbox
