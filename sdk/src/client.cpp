#include <davit/client.hpp>

#include "raw_batch.hpp"

namespace davit {

davit_request Client::to_raw(const Request& request) {
  davit_request raw{};
  raw.size = sizeof(raw);
  raw.verb = request.verb;
  raw.group = to_c(request.resource.group);
  raw.version = to_c(request.resource.version);
  raw.resource = to_c(request.resource.resource);
  raw.subresource = to_c(request.subresource);
  raw.ns = to_c(request.ns);
  raw.name = to_c(request.name);
  raw.body = to_c(request.body);
  raw.patch_type = request.verb == DAVIT_PATCH ? static_cast<std::int32_t>(request.patch_type) : 0;
  raw.answer = static_cast<std::int32_t>(request.answer);
  raw.query = to_c(request.query);
  raw.priority = static_cast<std::int32_t>(request.priority);
  raw.field_manager = to_c(request.field_manager);
  raw.force = request.force ? 1 : 0;
  raw.limit = request.limit;
  raw.continue_token = to_c(request.continue_token);
  raw.propagation = static_cast<std::int32_t>(request.deletion.propagation);
  raw.has_grace_seconds = request.deletion.grace_seconds ? 1 : 0;
  raw.grace_seconds = request.deletion.grace_seconds.value_or(0);
  raw.precondition_uid = to_c(request.deletion.uid);
  raw.precondition_resource_version = to_c(request.deletion.resource_version);
  raw.timeout_ms = static_cast<std::uint64_t>(request.timeout.count());
  return raw;
}

Result<Value> Client::to_result(const davit_response& response) const {
  if (response.code == DAVIT_OK) return Value(api_, response.object);
  ApiDetail detail;
  detail.http_status = response.http_status;
  detail.reason = from_c(response.reason);
  detail.retry_after_ms = response.retry_after_ms;
  return to_status(response.code, from_c(response.message), std::move(detail),
                   from_c(response.causes));
}

Result<Value> Client::call(const Request& request) const {
  const davit_request raw = to_raw(request);
  davit_response response{};
  response.size = sizeof(response);
  response.code = api_->client->call(api_->call(), &raw, &response);
  return to_result(response);
}

std::vector<Result<Value>> Client::batch(std::span<const Request> requests) const {
  std::vector<davit_request> raw;
  raw.reserve(requests.size());
  for (const Request& request : requests) raw.push_back(to_raw(request));
  std::vector<Result<Value>> results;
  results.reserve(requests.size());
  const auto responses = detail::send_batch<davit_response>(
      raw, [this](const auto&... sent) { return api_->client->batch(api_->call(), sent...); });
  for (const davit_response& response : responses) results.push_back(to_result(response));
  return results;
}

Status Client::resource_exists(const Resource& resource) const {
  const davit_code code = api_->client->resource_exists(
      api_->call(), to_c(resource.group), to_c(resource.version), to_c(resource.resource));
  if (code == DAVIT_OK) return {};
  return api_->failure_of(code, "the server does not offer " + std::string(resource.resource) +
                                    " in " + resource.api_version());
}

}  // namespace davit
