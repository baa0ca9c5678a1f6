#include "sandbox/kinds/api_error.hpp"

#include <algorithm>

#include "lib/base/json_text.hpp"

namespace davit::sandbox {

namespace {

StatusDetails details_of(Subject subject) {
  return {.name = std::move(subject.name),
          .group = std::move(subject.group),
          .kind = std::move(subject.kind),
          .uid = {},
          .causes = {}};
}

/// `configmaps "a"`
std::string named(const Subject& subject) {
  return subject.qualified() + ' ' + json_string(subject.name);
}

Json details_json(const StatusDetails& details) {
  Json json = Json::object();
  if (!details.name.empty()) json.set("name", details.name);
  if (!details.group.empty()) json.set("group", details.group);
  if (!details.kind.empty()) json.set("kind", details.kind);
  if (!details.uid.empty()) json.set("uid", details.uid);
  if (!details.causes.empty()) {
    Json causes = Json::array();
    for (const FieldError& each : details.causes) {
      Json cause = Json::object();
      if (!each.reason.empty()) cause.set("reason", each.reason);
      if (!each.message.empty()) cause.set("message", each.message);
      if (!each.field.empty()) cause.set("field", each.field);
      causes.push_back(std::move(cause));
    }
    json.set("causes", std::move(causes));
  }
  if (details.retry_after_seconds > 0) json.set("retryAfterSeconds", details.retry_after_seconds);
  return json;
}

/// `spec.a: Required value`, or all of them in brackets, equal ones once.
std::string joined(const FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const FieldError& each : errors) {
    std::string text = each.field + ": " + each.message;
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  if (texts.size() == 1) return texts.front();
  std::string out = "[";
  for (const std::string& each : texts) {
    if (out.size() > 1) out += ", ";
    out += each;
  }
  return out + ']';
}

ApiError with_details(const StatusReason& reason, std::string message, StatusDetails details) {
  ApiError error;
  error.code = reason.http_status;
  error.reason = reason.name;
  error.message = std::move(message);
  error.details = std::move(details);
  return error;
}

}  // namespace

ApiError without_details(const StatusReason& reason, std::string message) {
  ApiError error;
  error.code = reason.http_status;
  error.reason = reason.name;
  error.message = std::move(message);
  return error;
}

Subject Subject::resource(const Resource& resource, std::string name) {
  return {resource.group, resource.name, std::move(name)};
}

Subject Subject::kind_of(const Resource& resource, std::string name) {
  return {resource.collection.group, resource.kind, std::move(name)};
}

std::string Subject::qualified() const { return group.empty() ? kind : kind + '.' + group; }

ApiError bad_request(std::string message) {
  return without_details(reason::kBadRequest, std::move(message));
}

ApiError unauthorized() { return without_details(reason::kUnauthorized, "Unauthorized"); }

ApiError forbidden(Subject subject, std::string_view why, FieldErrors causes) {
  std::string message = subject.kind.empty()   ? "forbidden: "
                        : subject.name.empty() ? subject.qualified() + " is forbidden: "
                                               : named(subject) + " is forbidden: ";
  message += why;
  StatusDetails details = details_of(std::move(subject));
  details.causes = std::move(causes);
  return with_details(reason::kForbidden, std::move(message), std::move(details));
}

ApiError not_found(Subject subject) {
  std::string message = named(subject) + " not found";
  return with_details(reason::kNotFound, std::move(message), details_of(std::move(subject)));
}

ApiError unknown_resource() {
  return with_details(reason::kNotFound, "the server could not find the requested resource", {});
}

ApiError page_not_found() {
  ApiError error = without_details(reason::kNotFound, "404 page not found");
  error.plain = true;
  return error;
}

ApiError method_not_allowed() {
  return with_details(reason::kMethodNotAllowed,
                      "the server does not allow this method on the requested resource", {});
}

ApiError already_exists(Subject subject) {
  std::string message = named(subject) + " already exists";
  return with_details(reason::kAlreadyExists, std::move(message), details_of(std::move(subject)));
}

ApiError already_exists_deleting(Subject subject) {
  ApiError error = already_exists(std::move(subject));
  error.message.insert(0, "object is being deleted: ");
  return error;
}

ApiError conflict(Subject subject, std::string_view why) {
  std::string message = "Operation cannot be fulfilled on " + named(subject) + ": ";
  message += why;
  return with_details(reason::kConflict, std::move(message), details_of(std::move(subject)));
}

ApiError stale(Subject subject) {
  return conflict(std::move(subject),
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

ApiError expired(std::string message) {
  return without_details(reason::kExpired, std::move(message));
}

ApiError body_too_large(std::size_t bytes_max) {
  return with_details(reason::kRequestEntityTooLarge,
                      "Request entity too large: limit is " + std::to_string(bytes_max), {});
}

ApiError unsupported_media_type(std::string message) {
  return with_details(reason::kUnsupportedMediaType, std::move(message), {});
}

ApiError not_acceptable(std::string message) {
  return with_details(reason::kNotAcceptable, std::move(message), {});
}

ApiError invalid(Subject subject, FieldErrors errors) {
  std::string message = named(subject) + " is invalid: " + joined(errors);
  StatusDetails details = details_of(std::move(subject));
  details.causes = std::move(errors);
  return with_details(reason::kInvalid, std::move(message), std::move(details));
}

ApiError invalid_options(std::string kind, FieldErrors errors) {
  return invalid({"meta.k8s.io", std::move(kind), ""}, std::move(errors));
}

ApiError too_many_requests(std::string message, FieldErrors causes, int retry_after_seconds) {
  StatusDetails details;
  details.causes = std::move(causes);
  details.retry_after_seconds = retry_after_seconds;
  return with_details(reason::kTooManyRequests, std::move(message), std::move(details));
}

ApiError internal_error(std::string message) {
  return without_details(reason::kUnnamed, std::move(message));
}

ApiError internal_failure(std::string_view why) {
  ApiError out =
      without_details(reason::kInternalError, "Internal error occurred: " + std::string(why));
  out.details = StatusDetails();
  out.details->causes.push_back({"", "", std::string(why)});
  return out;
}

ApiError future_revision(Revision asked, Revision current) {
  StatusDetails details;
  details.causes = {{"ResourceVersionTooLarge", "", "Too large resource version"}};
  details.retry_after_seconds = 1;
  ApiError error = with_details(reason::kTimeout,
                                "Timeout: Too large resource version: " + std::to_string(asked) +
                                    ", current: " + std::to_string(current),
                                std::move(details));
  error.awaited = asked;
  return error;
}

Json to_status(const ApiError& error) {
  Json metadata = Json::object();
  if (!error.continue_token.empty()) metadata.set("continue", error.continue_token);
  Json status = Json::object({{"kind", "Status"},
                              {"apiVersion", "v1"},
                              {"metadata", std::move(metadata)},
                              {"status", "Failure"},
                              {"message", error.message}});
  if (!error.reason.empty()) status.set("reason", error.reason);
  if (error.details) status.set("details", details_json(*error.details));
  status.set("code", error.code);
  return status;
}

HttpServerResponse to_response(const ApiError& error) {
  if (error.plain) {
    HttpServerResponse response;
    response.status = error.code;
    response.body = error.message + '\n';
    return response;
  }
  HttpServerResponse response = json_response(error.code, to_text(to_status(error)));
  if (error.details && error.details->retry_after_seconds > 0) {
    response.headers.emplace_back("Retry-After",
                                  std::to_string(error.details->retry_after_seconds));
  }
  return response;
}

Json success_status(const StatusDetails& details) {
  return Json::object({{"kind", "Status"},
                       {"apiVersion", "v1"},
                       {"metadata", Json::object()},
                       {"status", "Success"},
                       {"details", details_json(details)}});
}

Json created_status() {
  return Json::object({{"kind", "Status"},
                       {"apiVersion", "v1"},
                       {"metadata", Json::object()},
                       {"status", "Success"},
                       {"code", 201}});
}

}  // namespace davit::sandbox
