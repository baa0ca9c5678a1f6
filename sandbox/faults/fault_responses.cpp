#include "sandbox/faults/fault_responses.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

ApiError status_of(int code, const RequestFacts& request_facts) {
  const Subject subject{request_facts.group, request_facts.resource, request_facts.name};
  switch (code) {
    case 401:
      return unauthorized();
    case 403:
      return forbidden(subject, "an injected fault");
    case 404:
      return not_found(subject);
    case 409:
      return stale(subject);
    case 410:
      return expired("The resourceVersion for the provided list is too old.");
    case 429:
      return too_many_requests(
          "The server has received too many requests and has request_facts us to try again later",
          {}, 1);
    case 500:
      return without_details(reason::kInternalError, "Internal error occurred: an injected fault");
    case 503:
      return without_details(reason::kServiceUnavailable,
                             "The server is currently unable to handle the request");
    case 504:
      return without_details(reason::kTimeout,
                             "The request did not finish within the allotted time");
    default:
      return without_details({"", code, Code::kInternal}, "an injected fault");
  }
}

}  // namespace

ApiError fault_status(const FaultRule& rule, const RequestFacts& request_facts) {
  ApiError out = status_of(rule.code, request_facts);
  if (!rule.message.empty()) out.message = rule.message;
  if (rule.retry_after_seconds > 0) {
    if (!out.details) out.details = StatusDetails{};
    out.details->retry_after_seconds = rule.retry_after_seconds;
  }
  return out;
}

std::string gone_event(Revision current, FaultStream::Framing framing) {
  const std::string oldest = std::to_string(current);
  const std::string request_facts = std::to_string(std::max<Revision>(current, 1) - 1);
  const Json status =
      to_status(expired("too old resource version: " + request_facts + " (" + oldest + ")"));
  if (framing == FaultStream::Framing::kProtobuf) {
    return encode_protobuf_event("ERROR", status).value_or("");
  }
  return to_text(Json::object({{"type", "ERROR"}, {"object", status}})) + '\n';
}

}  // namespace davit::sandbox
