#include "host/api/response_status.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "host/api/request_builder.hpp"
#include "host/object/api_status.hpp"
#include "host/object/protobuf_envelope.hpp"
#include "host/object/protobuf_parser.hpp"
#include "lib/kube/status_reason.hpp"

namespace davit::host {
namespace {

// A Status is small; only where one is expected is a body parsed at all.
constexpr std::size_t kStatusBytesMax = std::size_t{1} << 20;
constexpr std::size_t kKindWithin = 512;
constexpr std::size_t kServerTextMax = 2048;

struct Fabricated {
  int http_status;
  std::string_view message;  // Empty: the server's own text.
};
constexpr Fabricated kFabricated[] = {
    {400, "the server rejected our request for an unknown reason"},
    {401, "the server has asked for the client to provide credentials"},
    {403, ""},
    {404, "the server could not find the requested resource"},
    {405, "the server does not allow this method on the requested resource"},
    {406, ""},
    {409, "the server reported a conflict"},
    {415, ""},
    {422, "the server rejected our request due to an error in our request"},
    {429, "the server has received too many requests and has asked us to try again later"},
    {503, "the server is currently unable to handle the request"},
    {504,
     "the server was unable to return a response in the time allotted, but may still be processing "
     "the request"},
};

// The error of a Status body, success of a Status that reports it, nothing if `body` is not a
// Status.
std::optional<Status> read_status(int http_status, std::string_view body) {
  if (body.size() > kStatusBytesMax) return std::nullopt;
  const std::string_view kind = is_protobuf_object(body) ? "Status" : "\"Status\"";
  if (body.substr(0, kKindWithin).find(kind) == body.npos) return std::nullopt;
  ObjectSpace names;  // Only for this text, which is small and read once.
  const Result<ObjectRef> parsed = parse_either(names, body);
  if (!parsed) return std::nullopt;
  const Value status = parsed->root();
  if (status["kind"].string() != "Status" || status["apiVersion"].string() != "v1") {
    return std::nullopt;
  }
  if (status["status"].string() == "Success") return Status();
  return api_status(status, http_status);
}

std::string server_text(const ResponseHead& head, std::string_view body) {
  if (head.content_type.substr(0, 5) != "text/" || body.empty()) return "unknown";
  std::string out(body.substr(0, kServerTextMax));
  while (!out.empty() && (out.back() == '\n' || out.back() == '\r')) out.pop_back();
  return out;
}

Status generic_status(const ApiRequest& request, const ResponseHead& head, std::string_view body) {
  ApiDetail detail;
  detail.http_status = head.http_status;
  detail.reason = head.http_status >= 500 ? reason::kInternalError.name : "Unknown";
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
    detail.reason = find_reason(each.http_status)->name;
    message = each.message.empty() ? server_text(head, body) : std::string(each.message);
  }
  if (head.http_status == 409 && request.verb == Verb::kCreate) {
    detail.reason = reason::kAlreadyExists.name;
  }
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

Status decode_response(const ApiRequest& request, const ResponseHead& head, std::string_view body) {
  if (std::optional<Status> status = read_status(head.http_status, body)) return *std::move(status);
  if (head.http_status >= 200 && head.http_status <= 206) return {};
  return generic_status(request, head, body);
}

}  // namespace davit::host
