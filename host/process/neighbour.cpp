#include "host/process/neighbour.hpp"

#include <algorithm>
#include <davit/kube/time.hpp>
#include <davit/mutant.hpp>
#include <davit/percent_code.hpp>
#include <optional>
#include <vector>

#include "host/object/parse.hpp"
#include "host/upstream/static_pod.hpp"
#include "host/upstream/upstream_process.hpp"
#include "lib/base/await_stop.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

/// Far beyond any lease duration: an older renewal is that of a controller manager that is gone.
constexpr std::chrono::seconds kStillAlive{60};
/// A server that is short of seats (429 with Retry-After) must not delay the start, which waits for
/// the response.
constexpr std::chrono::seconds kTimeLimit{5};
/// A live holder renews every two seconds (--leader-elect-retry-period).
constexpr Duration kLookAgain = std::chrono::seconds(1);
/// If the Lease does not say for how long it is valid.
constexpr std::int64_t kLeaseSeconds = 15;

ApiRequest lease_request() {
  ApiRequest request;
  request.verb = Verb::kGet;
  request.path.group = "coordination.k8s.io";
  request.path.version = "v1";
  request.path.resource = "leases";
  request.path.ns = kUpstreamLeaseNamespace;
  request.path.name = kUpstreamLease;
  request.timeout = kTimeLimit;
  return request;
}

/// kube-controller-manager's Lease.
struct UpstreamLease {
  std::string holder;
  std::string renewed;
  std::chrono::seconds duration{kLeaseSeconds};
};

/// Nothing if it cannot be read, for example without the right.
std::optional<UpstreamLease> read_lease(RestClient& client, const std::stop_token& stop) {
  const ApiResponse response = client.call(lease_request(), stop);
  if (!response.status.ok()) return std::nullopt;
  const Result<Json> lease = parse_json(response.body);
  if (!lease) return std::nullopt;
  const Json& spec = lease->get("spec");
  const std::int64_t seconds = spec.get("leaseDurationSeconds").integer_or(kLeaseSeconds);
  return UpstreamLease{spec.get("holderIdentity").text(), spec.get("renewTime").text(),
                       std::clamp(std::chrono::seconds(seconds), std::chrono::seconds(1),
                                  std::chrono::seconds(kStillAlive))};
}

/// The pods of kube-system on the holder's machine: an identity is "<host name>_<UUID>", and the
/// name of a node is its host name, unless the operator chose another one.
ApiRequest pods_request(const std::string& holder) {
  ApiRequest request;
  request.verb = Verb::kList;
  request.path.version = "v1";
  request.path.resource = "pods";
  request.path.ns = kUpstreamLeaseNamespace;
  request.query =
      "fieldSelector=" + percent_escaped("spec.nodeName=" + holder.substr(0, holder.find('_')), "");
  request.timeout = kTimeLimit;
  return request;
}

/// The process that holds the Lease, as its pod describes it; nothing where there is no such pod.
std::optional<UpstreamProcess> find_process(RestClient& client, const std::string& holder,
                                            const std::stop_token& stop) {
  const ApiResponse response = client.call(pods_request(holder), stop);
  if (!response.status.ok()) return std::nullopt;
  const Result<Json> list = parse_json(response.body);
  if (!list) return std::nullopt;
  for (const Json& pod : list->get("items").items()) {
    const Result<std::vector<std::string>> args = command_line_of_pod(to_text(pod), "pod");
    if (!args) continue;
    UpstreamProcess process = UpstreamProcess::of(read_command_line(*args).flags);
    // One machine may run two of them; what --rest prints uses its own Lease.
    if (process.elects && process.lease == kUpstreamLease &&
        process.lease_namespace == kUpstreamLeaseNamespace) {
      return process;
    }
  }
  return std::nullopt;
}

/// Upstream's controllers among these that no Lease keeps apart from a kube-controller-manager.
std::vector<const UpstreamController*> unguarded(const NeighbourTerms& terms) {
  const LeaderElectionSettings& election = terms.election;
  const bool same_lease =
      election.enabled && election.ns == kUpstreamLeaseNamespace && election.name == kUpstreamLease;
  std::vector<const UpstreamController*> out;
  if (same_lease) return out;
  for (const std::string& each : terms.controllers) {
    const UpstreamController* const upstream = find_upstream_controller(each);
    if (upstream == nullptr || election.lease_of(each) != ControllerLease::kMain) continue;
    out.push_back(upstream);
  }
  return out;
}

std::string names_of(std::span<const UpstreamController* const> controllers) {
  std::string out;
  for (const UpstreamController* const each : controllers) {
    out += (out.empty() ? "" : ",") + std::string(each->name);
  }
  return out;
}

/// Whether the holder is seen to renew the Lease before its time has run out; kCancelled: `stop`.
Result<bool> renews(RestClient& client, Clock& clock, const UpstreamLease& first,
                    const std::stop_token& stop) {
  if (mutant("live-neighbour")) return true;
  const Time until = clock.now() + first.duration;
  while (clock.now() < until) {
    if (await_stop(clock, std::min(clock.now() + kLookAgain, until), stop)) {
      return Status(Code::kCancelled, "stopped while starting");
    }
    const std::optional<UpstreamLease> now = read_lease(client, stop);
    if (now && now->renewed != first.renewed) return !now->holder.empty();
  }
  return false;
}

Status refusal(const std::string& holder, const std::string& names) {
  return {Code::kConflict,
          "the kube-controller-manager " + holder +
              " is active and runs controllers of this host: " + names +
              ". Both would act on the same objects. Give this host the Lease of the other one "
              "(--leader-elect-resource-name=kube-controller-manager) or different controllers "
              "(--controllers on both sides), or start it anyway with "
              "--allow-kube-controller-manager"};
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
  std::string version(parsed->root()["gitVersion"].string());
  if (version.empty()) {
    return Status(Code::kUnavailable, "the server's response has no gitVersion (GET /version)");
  }
  return version;
}

Status check_neighbour(RestClient& client, Clock& clock, const NeighbourTerms& terms,
                       const Logger& log, const std::stop_token& stop) {
  using Beside = NeighbourTerms::Beside;
  std::vector<const UpstreamController*> shared = unguarded(terms);
  if (shared.empty()) return {};
  const std::optional<UpstreamLease> lease = read_lease(client, stop);
  if (!lease || lease->holder.empty()) return {};
  const auto renewed = parse_time(lease->renewed);
  if (!renewed || clock.wall_now() - *renewed > kStillAlive) return {};
  const std::optional<UpstreamProcess> process = find_process(client, lease->holder, stop);
  if (process) {
    std::erase_if(shared, [&](const UpstreamController* each) { return !process->runs(*each); });
  }
  if (shared.empty()) {
    log.info(0, "A kube-controller-manager is active and runs none of the controllers of this host",
             {{"holder", lease->holder}});
    return {};
  }
  const bool chosen = std::ranges::find(terms.list, "*") == terms.list.end();
  if (terms.beside == Beside::kRefuse && (process || !chosen)) {
    const Result<bool> alive = renews(client, clock, *lease, stop);
    if (!alive) return alive.error();
    return *alive ? refusal(lease->holder, names_of(shared)) : Status();
  }
  constexpr std::string_view kStart =
      "A kube-controller-manager is running in this cluster: start it with --controllers=*,-NAME "
      "for each controller that runs here, or both will act on the same objects";
  constexpr std::string_view kMigrate =
      "A kube-controller-manager is running in this cluster, and the leader migration does not "
      "list these controllers: list them, or start it with --controllers=*,-NAME for each, or both "
      "will act on the same objects";
  log.warning(terms.election.enabled && terms.election.migrates ? kMigrate : kStart,
              {{"holder", lease->holder}, {"controllers", names_of(shared)}});
  return {};
}

}  // namespace davit::host
