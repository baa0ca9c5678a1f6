#include "cli/neighbour.hpp"

#include <davit/kube/time.hpp>
#include <optional>

#include "host/object/parse.hpp"

namespace davit::host {
namespace {

/// Far beyond any lease duration: an older renewal is that of a controller manager that is gone.
constexpr std::chrono::seconds kStillAlive{60};
/// The response only decides on a warning: a server that is short of seats (429 with Retry-After)
/// must not delay the start, which waits for it.
constexpr std::chrono::seconds kTimeLimit{5};

ApiRequest lease_request() {
  ApiRequest request;
  request.verb = Verb::kGet;
  request.path.group = "coordination.k8s.io";
  request.path.version = "v1";
  request.path.resource = "leases";
  request.path.ns = "kube-system";
  request.path.name = "kube-controller-manager";
  request.timeout = kTimeLimit;
  return request;
}

}  // namespace

Result<std::string> server_version(RestClient& client, const std::stop_token& stop) {
  ApiRequest request;
  request.raw_path = "/version";
  const ApiResponse response = client.call(request, stop);
  if (!response.status.ok()) return response.status;
  ObjectSpace space;
  const Result<ObjectRef> parsed = parse_object(space, response.body);
  if (!parsed) return parsed.error();
  return std::string(parsed->root()["gitVersion"].string());
}

std::string active_controller_manager(RestClient& client, WallTime now,
                                      const std::stop_token& stop) {
  const ApiResponse response = client.call(lease_request(), stop);
  if (!response.status.ok()) return "";
  ObjectSpace space;
  const Result<ObjectRef> parsed = parse_object(space, response.body);
  if (!parsed) return "";
  const Value spec = parsed->root()["spec"];
  const auto renewed = parse_time(spec["renewTime"].string());
  if (!renewed || now - *renewed > kStillAlive) return "";
  return std::string(spec["holderIdentity"].string());
}

}  // namespace davit::host
