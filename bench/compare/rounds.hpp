/// What both peers have to do. Each round brings up what it needs, runs one peer and adds its rows.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bench/compare/table.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::bench {

struct Options {
  int pods = 20000;
  int nodes = 1000;
  int deployments = 100;
  int replicas = 10;
  int services = 500;
  int backends = 20;         ///< Pods of each Service.
  int watched_nodes = 5000;  ///< In the round of nodes.
  int qps = 1000;
};

struct Peer {
  std::string name;
  /// Starts it with these controllers, named as for kube-controller-manager's --controllers.
  std::function<std::unique_ptr<live::Process>(live::ControlPlane&, const std::string& controllers)>
      start;
};

/// Start-up on an empty cluster with one ReplicaSet waiting for its pod.
void measure_start(const Peer& peer, Table& table);
/// Fills the caches of all four controllers with the pods and nodes of `cluster`, then restarts its
/// API server, so that they are filled anew.
void measure_fill(const Peer& peer, live::ControlPlane& cluster, Table& table);
/// Creates Deployments and rolls them to a new image.
void measure_rollout(const Peer& peer, const Options& options, Table& table);
/// Fills the Endpoints of many Services, then replaces all their pods in four waves.
void measure_services(const Peer& peer, const Options& options, Table& table);
/// A minute over nodes whose Leases are renewed.
void measure_nodes(const Peer& peer, const Options& options, Table& table);

/// A server that lets more through than its default, so that the peers' QPS is the limit.
[[nodiscard]] live::ControlPlaneOptions wide_server();
/// Reports the progress of the run on standard error.
void progress(const std::string& text);
/// Ends the program when it does not come true within 20 minutes.
void wait_until(const char* what, const std::function<bool()>& done);

}  // namespace davit::bench
