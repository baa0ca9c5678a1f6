/// The formats of texts: those of OpenAPI schemas, and those that fields of built-in kinds have.
#pragma once

#include <cstdint>
#include <string_view>

#include "lib/kube/json.hpp"
#include "lib/kube/names.hpp"
#include "lib/kube/validation/field_error.hpp"
#include "lib/kube/validation/field_path.hpp"

namespace davit {

/// Whether `text` has this OpenAPI format. Every text has an unknown format.
[[nodiscard]] bool has_format(std::string_view format, std::string_view text);

/// Returns the violations of a value, in the words of the API.
using FormatCheck = Violations (*)(const Json& value);
/// The check of a format such as "dns-label", "endpoint-ip" or "int-or-percent", as the table of
/// constraints names it. Null when there is none.
[[nodiscard]] FormatCheck find_format(std::string_view name);
/// Adds an Invalid for each violation. The format must exist.
void check_format(std::string_view format, const Json& value, const FieldPath& path,
                  FieldErrors& errors);

/// The number, or that before '%'; 0 for what is neither.
[[nodiscard]] std::int64_t int_or_percent_value(const Json& value);

}  // namespace davit
