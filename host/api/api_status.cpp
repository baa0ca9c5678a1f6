#include "host/api/api_status.hpp"

#include <rapidjson/document.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "host/api/request_builder.hpp"

namespace davit::host {
namespace {

// A Status is small; only where one is expected is a body parsed at all.
constexpr std::size_t kStatusBytesMax = std::size_t{1} << 20;
constexpr std::size_t kKindWithin = 512;
constexpr std::size_t kServerTextMax = 2048;

struct Fabricated {
  int http_status;
  std::string_view reason;
  std::string_view message;  // Empty: the server's own text.
};
constexpr Fabricated kFabricated[] = {
    {400, "BadRequest", "the server rejected our request for an unknown reason"},
    {401, "Unauthorized", "the server has asked for the client to provide credentials"},
    {403, "Forbidden", ""},
    {404, "NotFound", "the server could not find the requested resource"},
    {405, "MethodNotAllowed", "the server does not allow this method on the requested resource"},
    {406, "NotAcceptable", ""},
    {409, "Conflict", "the server reported a conflict"},
    {415, "UnsupportedMediaType", ""},
    {422, "Invalid", "the server rejected our request due to an error in our request"},
    {429, "TooManyRequests",
     "the server has received too many requests and has asked us to try again later"},
    {503, "ServiceUnavailable", "the server is currently unable to handle the request"},
    {504, "Timeout",
     "the server was unable to return a response in the time allotted, but may still be processing "
     "the request"},
};

struct Reason {
  std::string_view name;
  Code code;
};
constexpr Reason kReasons[] = {
    {"NotFound", Code::kNotFound},
    {"AlreadyExists", Code::kAlreadyExists},
    {"Conflict", Code::kConflict},
    {"Invalid", Code::kInvalid},
    {"BadRequest", Code::kInvalid},
    {"RequestEntityTooLarge", Code::kInvalid},
    {"UnsupportedMediaType", Code::kInvalid},
    {"Forbidden", Code::kForbidden},
    {"Unauthorized", Code::kForbidden},
    {"Expired", Code::kExpired},
    {"Gone", Code::kExpired},
    {"TooManyRequests", Code::kThrottled},
    {"MethodNotAllowed", Code::kUnsupported},
    {"NotAcceptable", Code::kUnsupported},
    {"ServerTimeout", Code::kUnavailable},
    {"Timeout", Code::kUnavailable},
    {"InternalError", Code::kUnavailable},
    {"ServiceUnavailable", Code::kUnavailable},
    {"StoreReadError", Code::kUnavailable},
};

Code code_of_http(int http_status) {
  switch (http_status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return Code::kInvalid;
    case 401:
    case 403:
      return Code::kForbidden;
    case 404:
      return Code::kNotFound;
    case 405:
    case 406:
      return Code::kUnsupported;
    case 409:
      return Code::kConflict;
    case 410:
      return Code::kExpired;
    case 429:
      return Code::kThrottled;
    default:
      return http_status >= 500 ? Code::kUnavailable : Code::kInternal;
  }
}

using Json = rapidjson::Value;

std::string_view text(const Json& object, const char* member) {
  const auto found = object.FindMember(member);
  if (found == object.MemberEnd() || !found->value.IsString()) return {};
  return {found->value.GetString(), found->value.GetStringLength()};
}

std::int64_t number(const Json& object, const char* member) {
  const auto found = object.FindMember(member);
  return found == object.MemberEnd() || !found->value.IsInt64() ? 0 : found->value.GetInt64();
}

// Servers before 1.18 told "too large" in words only; readers shall find the cause in one place.
constexpr std::string_view kTooLarge = "Too large resource version";
constexpr std::string_view kTooLargeCause = "ResourceVersionTooLarge";

void read_details(const Json& details, ApiDetail& out) {
  const std::int64_t seconds = number(details, "retryAfterSeconds");
  if (seconds > 0) {
    constexpr std::int64_t kLongest = 24 * 3600;
    out.retry_after_ms = static_cast<std::uint32_t>(std::min(seconds, kLongest) * 1000);
  }
  const auto causes = details.FindMember("causes");
  if (causes == details.MemberEnd() || !causes->value.IsArray()) return;
  for (const Json& cause : causes->value.GetArray()) {
    if (!cause.IsObject()) continue;
    std::string_view reason = text(cause, "reason");
    if (reason.empty() && text(cause, "message").find(kTooLarge) != std::string_view::npos) {
      reason = kTooLargeCause;
    }
    out.causes.emplace_back(reason);
  }
}

// The error of a Status body, success of a Status that says so, nothing when `body` is no Status.
std::optional<Status> read_status(int http_status, std::string_view body) {
  if (body.size() > kStatusBytesMax) return std::nullopt;
  if (body.substr(0, kKindWithin).find("\"Status\"") == body.npos) return std::nullopt;
  rapidjson::Document json;
  json.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(body.data(),
                                                                                     body.size());
  if (json.HasParseError() || !json.IsObject()) return std::nullopt;
  if (text(json, "kind") != "Status" || text(json, "apiVersion") != "v1") return std::nullopt;
  if (text(json, "status") == "Success") return Status();
  ApiDetail detail;
  detail.http_status = static_cast<int>(number(json, "code"));
  if (detail.http_status == 0) detail.http_status = http_status;
  detail.reason = text(json, "reason");
  const Json& root = json;  // clang takes only constant iterators for comparable.
  const auto details = root.FindMember("details");
  if (details != root.MemberEnd() && details->value.IsObject()) {
    read_details(details->value, detail);
  }
  std::string message(text(json, "message"));
  if (detail.causes.empty() && message.find(kTooLarge) != message.npos) {
    detail.causes.emplace_back(kTooLargeCause);
  }
  if (message.empty()) message = "unknown";
  const Code code = code_of(detail.reason, detail.http_status);
  return Status(code, std::move(message), std::move(detail));
}

std::string server_text(const AnswerHead& head, std::string_view body) {
  if (head.content_type.substr(0, 5) != "text/" || body.empty()) return "unknown";
  std::string out(body.substr(0, kServerTextMax));
  while (!out.empty() && (out.back() == '\n' || out.back() == '\r')) out.pop_back();
  return out;
}

Status fabricate(const ApiRequest& request, const AnswerHead& head, std::string_view body) {
  ApiDetail detail;
  detail.http_status = head.http_status;
  detail.reason = head.http_status >= 500 ? "InternalError" : "Unknown";
  std::string message;
  if (head.http_status >= 500) {
    message = "an error on the server (\"" + server_text(head, body) +
              "\") has prevented the request from succeeding";
  } else {
    message = "the server responded with the status code " + std::to_string(head.http_status) +
              " but did not return more information";
  }
  for (const Fabricated& each : kFabricated) {
    if (each.http_status != head.http_status) continue;
    detail.reason = each.reason;
    message = each.message.empty() ? server_text(head, body) : std::string(each.message);
  }
  if (head.http_status == 409 && request.verb == Verb::kCreate) detail.reason = "AlreadyExists";
  detail.causes.emplace_back("UnexpectedServerResponse");
  detail.retry_after_ms = head.retry_after_seconds.value_or(0) * 1000;
  const Code code = code_of(detail.reason, head.http_status);
  return {code, message + " (" + describe(request) + ")", std::move(detail)};
}

}  // namespace

std::optional<std::uint32_t> parse_retry_after(std::string_view value) {
  std::uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
  constexpr std::uint32_t kLongest = 24 * 3600;
  return std::min(seconds, kLongest);
}

Code code_of(std::string_view reason, int http_status) {
  for (const Reason& each : kReasons) {
    if (each.name == reason) return each.code;
  }
  return code_of_http(http_status);
}

Status decode_answer(const ApiRequest& request, const AnswerHead& head, std::string_view body) {
  if (std::optional<Status> told = read_status(head.http_status, body)) return *std::move(told);
  if (head.http_status >= 200 && head.http_status <= 206) return {};
  return fabricate(request, head, body);
}

}  // namespace davit::host
