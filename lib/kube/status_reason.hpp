/// The reasons of Status objects (k8s.io/apimachinery/pkg/apis/meta/v1/types.go), for those who
/// write them and those who read them.
#pragma once

#include <davit/result.hpp>
#include <string_view>

namespace davit {

struct StatusReason {
  std::string_view name;
  int http_status;
  Code code;  ///< For the caller to act on.
};

namespace reason {

inline constexpr StatusReason kBadRequest{"BadRequest", 400, Code::kInvalid};
inline constexpr StatusReason kUnauthorized{"Unauthorized", 401, Code::kForbidden};
inline constexpr StatusReason kForbidden{"Forbidden", 403, Code::kForbidden};
inline constexpr StatusReason kNotFound{"NotFound", 404, Code::kNotFound};
inline constexpr StatusReason kMethodNotAllowed{"MethodNotAllowed", 405, Code::kUnsupported};
inline constexpr StatusReason kNotAcceptable{"NotAcceptable", 406, Code::kUnsupported};
inline constexpr StatusReason kConflict{"Conflict", 409, Code::kConflict};
inline constexpr StatusReason kAlreadyExists{"AlreadyExists", 409, Code::kAlreadyExists};
inline constexpr StatusReason kExpired{"Expired", 410, Code::kExpired};
inline constexpr StatusReason kGone{"Gone", 410, Code::kExpired};
inline constexpr StatusReason kRequestEntityTooLarge{"RequestEntityTooLarge", 413, Code::kInvalid};
inline constexpr StatusReason kUnsupportedMediaType{"UnsupportedMediaType", 415, Code::kInvalid};
inline constexpr StatusReason kInvalid{"Invalid", 422, Code::kInvalid};
inline constexpr StatusReason kTooManyRequests{"TooManyRequests", 429, Code::kThrottled};
inline constexpr StatusReason kInternalError{"InternalError", 500, Code::kUnavailable};
inline constexpr StatusReason kStoreReadError{"StoreReadError", 500, Code::kUnavailable};
inline constexpr StatusReason kServerTimeout{"ServerTimeout", 500, Code::kUnavailable};
inline constexpr StatusReason kServiceUnavailable{"ServiceUnavailable", 503, Code::kUnavailable};
inline constexpr StatusReason kTimeout{"Timeout", 504, Code::kUnavailable};
/// An error of the server whose Status names no reason.
inline constexpr StatusReason kUnnamed{"", 500, Code::kUnavailable};

}  // namespace reason

/// The reason that an HTTP status has when the server names none; null for one without a reason.
[[nodiscard]] const StatusReason* find_reason(int http_status);
/// The code for a reason or, if that is unknown, for the HTTP status.
[[nodiscard]] Code code_of(std::string_view reason, int http_status);

}  // namespace davit
