#include "cli/neighbour.hpp"

#include <davit/kube/time.hpp>
#include <optional>

#include "cli/upstream/controllers.hpp"
#include "host/object/parse.hpp"

namespace davit::host {
namespace {

/// Far beyond any lease duration: an older renewal is that of a controller manager that is gone.
constexpr std::chrono::seconds kStillAlive{60};
/// The response only decides on a warning: a server that is short of seats (429 with Retry-After)
/// must not delay the start, which waits for it.
constexpr std::chrono::seconds kTimeLimit{5};
constexpr std::string_view kNamespace = "kube-system";
constexpr std::string_view kLease = "kube-controller-manager";

ApiRequest lease_request() {
  ApiRequest request;
  request.verb = Verb::kGet;
  request.path.group = "coordination.k8s.io";
  request.path.version = "v1";
  request.path.resource = "leases";
  request.path.ns = kNamespace;
  request.path.name = kLease;
  request.timeout = kTimeLimit;
  return request;
}

/// Upstream's controllers among these that no Lease keeps apart from a kube-controller-manager.
std::string unguarded_controllers(const LeaderElectionSettings& election,
                                  std::span<const std::string> controllers) {
  if (election.enabled && election.ns == kNamespace && election.name == kLease) return "";
  std::string out;
  for (const std::string& each : controllers) {
    if (find_upstream_controller(each) == nullptr) continue;
    if (election.lease_of(each) == ControllerLease::kMain) out += (out.empty() ? "" : ",") + each;
  }
  return out;
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

void warn_of_controller_manager(RestClient& client, WallTime now,
                                const LeaderElectionSettings& election,
                                std::span<const std::string> controllers, const Logger& log,
                                const std::stop_token& stop) {
  constexpr std::string_view kStart =
      "A kube-controller-manager is running in this cluster: start it with --controllers=*,-NAME "
      "for each controller that runs here, or both will act on the same objects";
  constexpr std::string_view kMigrate =
      "A kube-controller-manager is running in this cluster, and the leader migration does not "
      "list these controllers: list them, or start it with --controllers=*,-NAME for each, or both "
      "will act on the same objects";
  const std::string unguarded = unguarded_controllers(election, controllers);
  if (unguarded.empty()) return;
  const std::string holder = active_controller_manager(client, now, stop);
  if (holder.empty()) return;
  log.warning(election.enabled && election.migrates ? kMigrate : kStart,
              {{"holder", holder}, {"controllers", unguarded}});
}

}  // namespace davit::host
