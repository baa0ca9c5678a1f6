#include "testing/explore/faulty_reply.hpp"

#include <string>
#include <utility>

#include "lib/kube/json.hpp"
#include "sandbox/kinds/api_error.hpp"

namespace davit::explore {
namespace {

constexpr int kOk = 200;
constexpr int kSuccessEnd = 300;
constexpr int kConflict = 409;
constexpr int kInternalError = 500;
constexpr int kUnavailable = 503;

HttpServerResponse failure(int code, const char* reason, const std::string& message) {
  sandbox::ApiError error;
  error.code = code;
  error.reason = reason;
  error.message = message;
  return sandbox::to_response(error);
}

/// An object that no controller asks for, with the name that was asked for.
std::string other_object(const sandbox::Url& url) {
  Json metadata = Json::object({{"name", url.name.empty() ? "another" : url.name},
                                {"uid", "00000000-0000-4000-8000-000000000000"},
                                {"resourceVersion", "1"}});
  if (!url.ns.empty()) metadata.set("namespace", url.ns);
  const bool is_lease = url.resource == "leases";
  return to_text(
      Json::object({{"kind", is_lease ? "RuntimeClass" : "Lease"},
                    {"apiVersion", is_lease ? "node.k8s.io/v1" : "coordination.k8s.io/v1"},
                    {"metadata", metadata}}));
}

std::string without_metadata(const std::string& body) {
  Result<Json> object = parse_json(body);
  if (!object) return body;
  object->erase("metadata");
  return to_text(*object);
}

std::string without_core_group(const std::string& body) {
  Result<Json> document = parse_json(body);
  if (!document) return body;
  Json* const groups = document->find("items");
  if (groups == nullptr) return body;
  Json kept = Json::array();
  for (const Json& each : groups->items()) {
    if (!each.text_at({"metadata", "name"}).empty()) kept.push_back(each);
  }
  *groups = std::move(kept);
  return to_text(*document);
}

}  // namespace

HttpServerResponse conflict_reply(const sandbox::Url& url) {
  return failure(kConflict, "Conflict",
                 "Operation cannot be fulfilled on " + url.resource + " \"" + url.name +
                     "\": the object has been modified");
}

HttpServerResponse faulty_reply(Choice choice, const sandbox::Url& url,
                                HttpServerResponse response) {
  if (choice == Choice::kErrorAfter) {
    return failure(kInternalError, "InternalError", "the server failed after it had done its work");
  }
  if (response.status < kOk || response.status >= kSuccessEnd) return response;
  std::string& body = response.body;
  switch (choice) {
    case Choice::kEmptyBody:
      body = "{}";
      break;
    case Choice::kStatusBody:
      body = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})";
      break;
    case Choice::kOtherKind:
      body = other_object(url);
      break;
    case Choice::kNoMetadata:
      body = without_metadata(body);
      break;
    case Choice::kTruncated:
      body.resize(body.size() / 2);
      break;
    default:
      break;
  }
  return response;
}

HttpServerResponse faulty_document(Choice choice, HttpServerResponse response) {
  if (response.status != kOk) return response;
  switch (choice) {
    case Choice::kUnavailable:
      return failure(kUnavailable, "ServiceUnavailable", "the server is overloaded");
    case Choice::kEmptyCatalog:
      response.body = "{}";
      return response;
    case Choice::kNoCoreGroup:
      response.body = without_core_group(response.body);
      return response;
    default:
      return response;
  }
}

}  // namespace davit::explore
