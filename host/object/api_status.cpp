#include "host/object/api_status.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "host/object/protobuf_parser.hpp"
#include "lib/kube/status_reason.hpp"

namespace davit::host {

namespace {

/// Servers before 1.18 say "too large" in the message only; this moves the cause to one field.
constexpr std::string_view kTooLarge = "Too large resource version";
constexpr std::string_view kTooLargeCause = "ResourceVersionTooLarge";

/// The remedy for a right that is missing.
constexpr std::string_view kRightsHint = "; `davit rbac` prints the rights that davit needs";

/// Whether the server's authorizer has refused, or its check against escalation: both name the
/// user. Quotas, admission and terminating namespaces respond with 403, too, and no role helps.
bool lacks_right(Code code, std::string_view message) {
  return code == Code::kForbidden && (message.find("forbidden: User \"") != message.npos ||
                                      message.find("forbidden: user \"") != message.npos);
}

void read_causes(Value causes, ApiDetail& out) {
  causes.each([&](Value cause) {
    std::string_view reason = cause["reason"].string();
    if (reason.empty() && cause["message"].string().find(kTooLarge) != std::string_view::npos) {
      reason = kTooLargeCause;
    }
    if (!reason.empty()) out.causes.emplace_back(reason);
  });
}

}  // namespace

Status api_status(Value status, int http_status) {
  const std::int64_t http_code = status["code"].integer().value_or(0);
  ApiDetail detail;
  detail.http_status =
      http_code > 0 && http_code < 1000 ? static_cast<int>(http_code) : http_status;
  detail.reason = status["reason"].string();
  const Value details = status["details"];
  read_causes(details["causes"], detail);
  const std::int64_t retry_s = details["retryAfterSeconds"].integer().value_or(0);
  constexpr std::int64_t kRetryMax_s = 24 * 3600;
  if (retry_s > 0) {
    detail.retry_after_ms = static_cast<std::uint32_t>(std::min(retry_s, kRetryMax_s) * 1000);
  }
  std::string message(status["message"].string());
  if (detail.causes.empty() && message.find(kTooLarge) != message.npos) {
    detail.causes.emplace_back(kTooLargeCause);
  }
  if (message.empty()) message = "the server sent a Status without a message";
  const Code code = code_of(detail.reason, detail.http_status);
  if (lacks_right(code, message)) message += kRightsHint;
  return Status(code, std::move(message), std::move(detail));
}

Status api_status(std::string_view body) {
  ObjectSpace names;  // Only for this text, which is small and read once.
  Result<ObjectRef> parsed = parse_either(names, body);
  if (!parsed) return Status(Code::kInternal, "bad Status object: " + parsed.error().message());
  return api_status(parsed->root());
}

}  // namespace davit::host
