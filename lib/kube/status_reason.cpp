#include "lib/kube/status_reason.hpp"

#include <algorithm>

namespace davit {
namespace {

/// The first of several with one HTTP status is the usual one.
constexpr StatusReason kReasons[] = {
    reason::kBadRequest,     reason::kUnauthorized,          reason::kForbidden,
    reason::kNotFound,       reason::kMethodNotAllowed,      reason::kNotAcceptable,
    reason::kConflict,       reason::kAlreadyExists,         reason::kExpired,
    reason::kGone,           reason::kRequestEntityTooLarge, reason::kUnsupportedMediaType,
    reason::kInvalid,        reason::kTooManyRequests,       reason::kInternalError,
    reason::kStoreReadError, reason::kServerTimeout,         reason::kServiceUnavailable,
    reason::kTimeout,
};

}  // namespace

const StatusReason* find_reason(int http_status) {
  const auto* const found = std::ranges::find(kReasons, http_status, &StatusReason::http_status);
  return found == std::end(kReasons) ? nullptr : found;
}

Code code_of(std::string_view reason, int http_status) {
  const auto* const named = std::ranges::find(kReasons, reason, &StatusReason::name);
  if (named != std::end(kReasons)) return named->code;
  if (const StatusReason* const usual = find_reason(http_status)) return usual->code;
  return http_status >= 500 ? Code::kUnavailable : Code::kInternal;
}

}  // namespace davit
