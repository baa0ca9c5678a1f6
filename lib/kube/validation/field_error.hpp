/// Validation errors, one for each field, in the words of the API.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit {

/// One failure of validation; a request's are reported together, as one 422.
struct FieldError {
  /// "FieldValueRequired", "FieldValueInvalid", …: details.causes[].reason.
  std::string reason;
  std::string field;    ///< "spec.containers[0].name"
  std::string message;  ///< Without the field: "Required value".
};
using FieldErrors = std::vector<FieldError>;

/// The forms of k8s.io/apimachinery/pkg/util/validation/field.
[[nodiscard]] FieldError field_required(std::string field, std::string_view detail = "");
[[nodiscard]] FieldError field_invalid(std::string field, const Json& value,
                                       std::string_view detail);
[[nodiscard]] FieldError field_duplicate(std::string field, const Json& value);
[[nodiscard]] FieldError field_not_found(std::string field, const Json& value);
[[nodiscard]] FieldError field_not_supported(std::string field, const Json& value,
                                             const std::vector<std::string>& supported);
[[nodiscard]] FieldError field_forbidden(std::string field, std::string_view detail);
[[nodiscard]] FieldError field_too_long(std::string field, std::size_t bytes_max);
[[nodiscard]] FieldError field_too_many(std::string field, std::size_t count, std::size_t max);

}  // namespace davit
