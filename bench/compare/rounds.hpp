/// The rounds that both peers play. Each round brings up what it needs, runs one peer once and adds
/// its figures.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "bench/compare/meter.hpp"
#include "bench/compare/options.hpp"
#include "bench/compare/table.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::bench {

struct Peer {
  std::string name;  ///< Also of its lease.
  /// Starts it with these controllers, named as for kube-controller-manager's --controllers.
  std::function<RunningPeer(live::ControlPlane&, const std::string& controllers)> start;
};

struct Report {
  Table figures;
  Table requests;  ///< That the API server served, by round, verb and resource.
};

/// The surroundings of a measured piece of work.
struct Step {
  const live::ControlPlane& cluster;
  const RunningPeer& peer;
  Report& report;
};

/// Measures `act` until `done`, as the row `what`.
void run_step(const Step& step, const std::string& what, const std::function<void()>& act,
              const std::function<bool()>& done);
/// Adds what the peer and the servers take now: memory, threads and sockets.
void add_footprint(const live::ControlPlane& cluster, const RunningPeer& peer,
                   const std::string& what, Table& figures);
/// Ends the program when `done` does not come true within 20 minutes, or when the peer ends before.
void await_state(const RunningPeer& peer, const char* what, const std::function<bool()>& done);
/// A quiet stop; a controller manager that hangs is killed by its destructor.
void stop_peer(const RunningPeer& peer);

/// Start-up on an empty cluster with one ReplicaSet waiting for its pod.
void measure_start(const Peer& peer, Report& report);
/// Fills the caches of all controllers with the pods and nodes of `cluster`, then restarts its API
/// server, so that they are filled again.
void measure_fill(const Peer& peer, live::ControlPlane& cluster, Report& report);
/// Creates Deployments and rolls them to a new image.
void measure_rollout(const Peer& peer, const Options& options, Report& report);
/// The same with a Service for each Deployment and all controllers.
void measure_whole(const Peer& peer, const Options& options, Report& report);
/// Fills the Endpoints of many Services, then replaces all their pods in four waves.
void measure_services(const Peer& peer, const Options& options, Report& report);
/// A minute over nodes whose Leases are renewed.
void measure_nodes(const Peer& peer, const Options& options, Report& report);

/// Runs Jobs to their end.
void measure_jobs(const Peer& peer, const Options& options, Report& report);
/// Creates DaemonSets over nodes and rolls them to a new image.
void measure_daemon_sets(const Peer& peer, const Options& options, Report& report);
/// Creates StatefulSets, pod by pod, and rolls them to a new image.
void measure_stateful_sets(const Peer& peer, const Options& options, Report& report);
/// Some minutes of autoscalers that are content with their targets.
void measure_autoscalers(const Peer& peer, const Options& options, Report& report);
/// Gives new nodes a block of the range of pods each.
void measure_cidrs(const Peer& peer, const Options& options, Report& report);
/// Binds claims to volumes that are there, and releases them.
void measure_claims(const Peer& peer, const Options& options, Report& report);
/// Attaches volumes of the simulated driver to nodes, and moves a third of them.
void measure_volumes(const Peer& peer, const Options& options, Report& report);
/// Gives Services of type LoadBalancer addresses from a pool, and deletes them. Only davit does
/// so; kube-controller-manager's figures are the cost of the same Services without addresses.
void measure_addresses(const Peer& peer, const Options& options, Report& report);
/// Makes the claims of pods from a template, reserves them and releases them.
void measure_devices(const Peer& peer, const Options& options, Report& report);
/// Follows many custom kinds, for the collection of garbage.
void measure_kinds(const Peer& peer, const Options& options, Report& report);
/// The memory of every controller that davit has, on a cluster without objects of users.
void measure_empty(const Peer& peer, Report& report);

/// The controller of that round, and the range that both peers have then.
inline constexpr std::string_view kNodeCidrs = "nodeipam";
inline constexpr std::string_view kPodRange = "10.0.0.0/8";

/// The controllers of all plugins of davit, named as for kube-controller-manager's --controllers.
[[nodiscard]] std::string every_controller();

/// The controller of the round of kinds.
inline constexpr std::string_view kCollector = "garbagecollector";

/// The controllers of the round of addresses, for both peers.
inline constexpr std::string_view kBalancers = "service";

/// The controller of the round of devices, for both peers.
inline constexpr std::string_view kDeviceClaims = "resourceclaim-controller";

/// A server that lets more through than its default, so that the peers' QPS is the limit.
[[nodiscard]] live::ControlPlaneOptions wide_server();
/// Reports the progress of the run on standard error.
void progress(const std::string& text);

}  // namespace davit::bench
