#include "host/election/lease_api.hpp"

#include <utility>

#include "host/api/rest_client.hpp"

namespace davit::host {
namespace {

Result<std::string> send(RestClient& client, ApiRequest request, Duration timeout,
                         std::stop_token stop) {
  request.path.group = "coordination.k8s.io";
  request.path.version = "v1";
  request.path.resource = "leases";
  request.timeout = timeout;
  ApiResponse response = client.call(request, std::move(stop));
  if (!response.status.ok()) return std::move(response.status);
  return std::move(response.body);
}

}  // namespace

RestLeaseApi::RestLeaseApi(RestClient& client, std::string ns, std::string name)
    : client_(client), ns_(std::move(ns)), name_(std::move(name)) {}

Result<std::string> RestLeaseApi::get(Duration timeout, std::stop_token stop) {
  ApiRequest request;
  request.verb = Verb::kGet;
  request.path.ns = ns_;
  request.path.name = name_;
  return send(client_, std::move(request), timeout, std::move(stop));
}

Result<std::string> RestLeaseApi::create(const std::string& body, Duration timeout,
                                         std::stop_token stop) {
  ApiRequest request;
  request.verb = Verb::kCreate;
  request.path.ns = ns_;
  request.body = body;
  return send(client_, std::move(request), timeout, std::move(stop));
}

Result<std::string> RestLeaseApi::update(const std::string& body, Duration timeout,
                                         std::stop_token stop) {
  ApiRequest request;
  request.verb = Verb::kUpdate;
  request.path.ns = ns_;
  request.path.name = name_;
  request.body = body;
  return send(client_, std::move(request), timeout, std::move(stop));
}

}  // namespace davit::host
