#include "testing/request_log.hpp"

#include <string_view>

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/url.hpp"

namespace davit::testing {
namespace {

Verb verb_of(const std::string& method, const sandbox::Url& url) {
  if (method == "POST") return Verb::kCreate;
  if (method == "PUT") return Verb::kUpdate;
  if (method == "PATCH") return Verb::kPatch;
  if (method == "DELETE") return url.name.empty() ? Verb::kDeleteCollection : Verb::kDelete;
  return url.name.empty() ? Verb::kList : Verb::kGet;
}

PatchType patch_type_of(std::string_view content_type) {
  if (content_type.starts_with("application/json-patch")) return PatchType::kJson;
  if (content_type.starts_with("application/strategic")) return PatchType::kStrategic;
  return content_type.starts_with("application/apply") ? PatchType::kApply : PatchType::kMerge;
}

HttpServerResponse failure(const Fault& fault) {
  if (fault.http_status == 0) return aborted_response();
  if (!fault.body.empty()) return json_response(fault.http_status, fault.body);
  sandbox::ApiError error;
  error.code = fault.http_status;
  error.reason = fault.reason;
  error.message = fault.message;
  for (const std::string& each : fault.causes) {
    if (!error.details) error.details.emplace();
    error.details->causes.push_back({.reason = each, .field = "", .message = ""});
  }
  return sandbox::to_response(error);
}

}  // namespace

HttpServerResponse RequestLog::handle(const HttpServerRequest& request) {
  const auto url = sandbox::parse_url(request.target);
  if (!url || !url->is_resource) return server_.handle(request);
  RequestRecord record;
  record.verb = verb_of(request.method, *url);
  record.resource = url->resource;
  record.subresource = url->subresource;
  record.ns = url->ns;
  record.name = url->name;
  record.body = request.body;
  record.patch_type = patch_type_of(request.header("Content-Type"));
  record.query = request.query();
  use_.requested({std::string(verb_text(record.verb)), url->group, record.resource,
                  record.subresource, record.ns, record.name});
  if (hook_) hook_(record);
  HttpServerResponse response = serve(record, request);
  record.http_status = response.aborted ? 0 : response.status;
  if (record.verb == Verb::kCreate && record.ok() && record.name.empty()) {
    record.name = json_literal(response.body).text_at({"metadata", "name"});
  }
  records_.push_back(std::move(record));
  return response;
}

HttpServerResponse RequestLog::serve(const RequestRecord& record,
                                     const HttpServerRequest& request) {
  Fault* const fault = find_fault(record);
  if (fault == nullptr) return server_.handle(request);
  if (fault->times > 0) --fault->times;
  HttpServerResponse response = failure(*fault);
  if (fault->effect == Effect::kApplied) static_cast<void>(server_.handle(request));
  return response;
}

Fault* RequestLog::find_fault(const RequestRecord& record) {
  for (Fault& each : faults_) {
    const bool matches = each.verb == record.verb &&
                         (each.resource.empty() || each.resource == record.resource) &&
                         (each.subresource.empty() || each.subresource == record.subresource) &&
                         (each.name.empty() || each.name == record.name);
    if (!matches || each.times == 0) continue;
    if (each.skip == 0) return &each;
    --each.skip;
  }
  return nullptr;
}

}  // namespace davit::testing
