#include "host/object/api_status.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "host/object/parse.hpp"

namespace davit::host {

namespace {
/// The reasons of k8s.io/apimachinery/pkg/apis/meta/v1/types.go that a caller can act on.
constexpr std::pair<std::string_view, Code> kReasons[] = {
    {"NotFound", Code::kNotFound},
    {"AlreadyExists", Code::kAlreadyExists},
    {"Conflict", Code::kConflict},
    {"Invalid", Code::kInvalid},
    {"BadRequest", Code::kInvalid},
    {"Forbidden", Code::kForbidden},
    {"Unauthorized", Code::kForbidden},
    {"Expired", Code::kExpired},
    {"Gone", Code::kExpired},
    {"TooManyRequests", Code::kThrottled},
    {"Timeout", Code::kUnavailable},
    {"ServerTimeout", Code::kUnavailable},
    {"ServiceUnavailable", Code::kUnavailable},
};

constexpr std::pair<int, Code> kHttpCodes[] = {
    {400, Code::kInvalid},   {401, Code::kForbidden}, {403, Code::kForbidden},
    {404, Code::kNotFound},  {409, Code::kConflict},  {410, Code::kExpired},
    {413, Code::kInvalid},   {415, Code::kInvalid},   {422, Code::kInvalid},
    {429, Code::kThrottled},
};

Code code_of(std::int64_t http_status, std::string_view reason) {
  for (const auto& [name, code] : kReasons) {
    if (name == reason) return code;
  }
  for (const auto& [status, code] : kHttpCodes) {
    if (status == http_status) return code;
  }
  return http_status >= 500 && http_status <= 599 ? Code::kUnavailable : Code::kInternal;
}
}  // namespace

Status api_status(Value status) {
  const std::int64_t http_status = status["code"].integer().value_or(0);
  ApiDetail detail;
  detail.http_status = http_status > 0 && http_status < 1000 ? static_cast<int>(http_status) : 0;
  detail.reason = status["reason"].string();
  const Value details = status["details"];
  details["causes"].each([&](Value cause) {
    if (const std::string_view reason = cause["reason"].string(); !reason.empty()) {
      detail.causes.emplace_back(reason);
    }
  });
  const std::int64_t retry_s = details["retryAfterSeconds"].integer().value_or(0);
  constexpr std::int64_t kRetryMax_s = 24 * 3600;
  if (retry_s > 0) {
    detail.retry_after_ms = static_cast<std::uint32_t>(std::min(retry_s, kRetryMax_s) * 1000);
  }
  std::string message(status["message"].string());
  if (message.empty()) message = "the server answered with a Status without a message";
  const Code code = code_of(detail.http_status, detail.reason);
  return Status(code, std::move(message), std::move(detail));
}

Status api_status(std::string_view json) {
  ObjectSpace names;  // Only for this text, which is small and read once.
  Result<ObjectRef> parsed = parse_object(names, json);
  if (!parsed) return Status(Code::kInternal, "bad Status object: " + parsed.error().message());
  return api_status(parsed->root());
}

}  // namespace davit::host
