#include "sandbox/webhook/review_reply.hpp"

#include <utility>

#include "lib/kube/schema/go_words.hpp"
#include "sandbox/policy/mutated_object.hpp"
#include "sandbox/rest/decode.hpp"

namespace davit::sandbox {

namespace {

std::string shown_text(std::string_view text) { return to_text(Json(text)); }

/// The error of client-go about a response that is not one.
std::string http_error(const HookReply& reply) {
  const Result<Json> body = parse_json(reply.body);
  if (body && body->get("kind").text() == "Status" && body->get("status").text() == "Failure") {
    return body->get("message").text();
  }
  std::string text = reply.body;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  switch (reply.status) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
      return text.empty() ? "unknown" : text;
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 409:
      return "the server reported a conflict";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be "
             "processing the request";
    default:
      break;
  }
  if (reply.status < 500)
    return "the server responded with the status code " + std::to_string(reply.status) +
           " but did not return more information";
  return "an error on the server (" + shown_text(text.empty() ? "unknown" : text) +
         ") has prevented the request from succeeding";
}

/// A body that begins with a brace is JSON, and YAML otherwise; its type does not count.
/// k8s: k8s.io/apimachinery/pkg/runtime/serializer/recognizer.
Result<Json> parse_body(const std::string& body) {
  const std::size_t start = body.find_first_not_of(" \t\r\n");
  const bool is_json = start != std::string::npos && body[start] == '{';
  return parse_text(body, is_json ? "application/json" : "application/yaml", nullptr);
}

/// The error of a decoder that got no object; empty: it is one.
std::string decode_error(const HookReply& reply, const Result<Json>& review) {
  if (reply.body.empty()) {
    return "0-length response with status code: " + std::to_string(reply.status) +
           " and content type: " + reply.content_type;
  }
  if (!review) {
    const std::string why = review.error().message();
    return why.starts_with("yaml: ") ? why : "couldn't get version/kind; json parse error: " + why;
  }
  return review->is_object() ? "" : no_object_text(*review);
}

/// The error of a decoder that got a response of another type than an object; empty: it got none
/// or an object.
std::string response_error(const Json& review, const ReviewKind& kind, std::string_view version) {
  const Json& response = review.get("response");
  if (response.is_null() || response.is_object()) return "";
  const std::string name(kind.kind);
  return "json: cannot unmarshal " + std::string(go_kind(response)) + " into Go struct field " +
         name + ".response of type " + std::string(version) + '.' +
         name.substr(0, name.find("Review")) + "Response";
}

/// The error of a decoder that got another object than a review; empty: it got one. A missing kind
/// is that of the review.
std::string kind_error(const Json& review, const ReviewKind& wanted, std::string_view version) {
  const std::string& kind = review.get("kind").text();
  const std::string& given = review.get("apiVersion").text();
  if (kind.empty() || given.empty()) return "";
  const std::string group = std::string(wanted.group) + '/';
  const bool known = given == group + "v1" || given == group + "v1beta1";
  if (kind != wanted.kind || !known) {
    return "no kind " + shown_text(kind) + " is registered for version " + shown_text(given) +
           " in scheme \"pkg/util/webhook/client.go:71\"";
  }
  const std::string sent = given.substr(group.size());
  if (sent == version) return "";
  const std::string name = '.' + std::string(wanted.kind) + ')';
  return "converting (" + sent + name + " to (" + std::string(version) + name +
         ": unknown conversion";
}

}  // namespace

std::string known_version(const std::vector<std::string>& versions) {
  for (const std::string& each : versions) {
    if (each == "v1" || each == "v1beta1") return each;
  }
  return "";
}

std::string request_text(const ReviewKind& kind, std::string_view version, Json request) {
  return to_text(Json::object({{"kind", kind.kind},
                               {"apiVersion", std::string(kind.group) + '/' + std::string(version)},
                               {"request", std::move(request)}}));
}

std::string kind_text(const Json& review) {
  const std::string& version = review.get("apiVersion").text();
  return (version.find('/') == std::string::npos ? '/' + version : version) +
         ", Kind=" + review.get("kind").text();
}

std::string kind_text(const ReviewKind& kind) {
  return std::string(kind.group) + "/v1, Kind=" + std::string(kind.kind);
}

ReviewReply read_reply(const HookReply& reply, const ReviewKind& kind, std::string_view version) {
  if (!reply.error.empty()) return {reply.error, {}};
  if (reply.status < 200 || reply.status >= 300) return {http_error(reply), {}};
  Result<Json> review = parse_body(reply.body);
  std::string fault = decode_error(reply, review);
  if (fault.empty()) fault = kind_error(*review, kind, version);
  if (fault.empty()) fault = response_error(*review, kind, version);
  if (!fault.empty()) return {std::move(fault), {}};
  return {"", std::move(*review)};
}

}  // namespace davit::sandbox
