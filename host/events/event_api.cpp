#include "host/events/event_api.hpp"

#include <utility>

#include "host/api/rest_client.hpp"

namespace davit::host {
namespace {

ApiRequest request_about(const Event& event) {
  ApiRequest request;
  request.path.version = "v1";
  request.path.resource = "events";
  request.path.ns = event.ns;
  request.accept = kAcceptMetadata;  // Only the status of the response is read.
  return request;
}

ApiRequest creation_of(const Event& event) {
  ApiRequest request = request_about(event);
  request.verb = Verb::kCreate;
  request.body = event_json(event);
  return request;
}

}  // namespace

RestEventApi::RestEventApi(RestClient& client) : client_(client) {}

RestEventApi::RestEventApi(std::unique_ptr<RestClient> client)
    : own_(std::move(client)), client_(*own_) {}

RestEventApi::~RestEventApi() = default;

Status RestEventApi::create(const Event& event, std::stop_token stop) {
  return client_.call(creation_of(event), std::move(stop)).status;
}

std::vector<Status> RestEventApi::create_all(std::span<const Event> events, std::stop_token stop) {
  std::vector<ApiRequest> requests;
  requests.reserve(events.size());
  for (const Event& event : events) requests.push_back(creation_of(event));
  std::vector<Status> responses;
  responses.reserve(events.size());
  for (ApiResponse& response : client_.batch(requests, std::move(stop))) {
    responses.push_back(std::move(response.status));
  }
  return responses;
}

Status RestEventApi::patch(const Event& event, std::stop_token stop) {
  ApiRequest request = request_about(event);
  request.verb = Verb::kPatch;
  request.patch_type = PatchType::kStrategic;
  request.path.name = event.name;
  request.body = event_patch_json(event);
  return client_.call(request, std::move(stop)).status;
}

}  // namespace davit::host
