/// The objects that a test adds to the cluster.
#pragma once

#include <string>
#include <vector>

#include "host/api/api_request.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::live {

/// Sends all, 64 at a time; ends the program with the first refusal.
void send_all(host::RestClient& client, const std::vector<host::ApiRequest>& requests);

/// Creates `count` nodes, Ready, in ten zones.
void create_nodes(const ControlPlane& cluster, int count);
/// Removes the taint not-ready that the API server gives to new nodes, as a node lifecycle
/// controller does.
void untaint_nodes(const ControlPlane& cluster, int count);
/// Their Leases, as kubelets make them; and the heartbeat of all of them at once.
void create_leases(const ControlPlane& cluster, int nodes);
void renew_leases(const ControlPlane& cluster, int nodes);
/// Spread over `nodes` nodes, `count` pods without an owner, each about 8 KB of
/// JSON: two containers with environment, probes, resources and mounts, a full status, and the
/// managedFields that the server adds.
void create_pods(const ControlPlane& cluster, int count, int nodes);
/// Size of one stored pod's JSON.
[[nodiscard]] std::size_t pod_bytes(const ControlPlane& cluster);

/// Creates Deployments d0, d1, … with `replicas` pods each, on `node` if it is given.
void create_deployments(const ControlPlane& cluster, int count, int replicas,
                        const std::string& node = "");
/// Creates a Service for each of them.
void create_services(const ControlPlane& cluster, int deployments);
/// Gives all of them a new image.
void update_deployments(const ControlPlane& cluster, int count, const std::string& image);
void delete_deployments(const ControlPlane& cluster, int count);
/// Whether every one of them has all its replicas updated, available and nothing more.
[[nodiscard]] bool rolled_out(const ControlPlane& cluster, int count, int replicas);

/// Creates Jobs j0, j1, … with `pods` pods each, all at once.
void create_jobs(const ControlPlane& cluster, int count, int pods);
/// Whether all of them are complete.
[[nodiscard]] bool completed(const ControlPlane& cluster, int jobs);

/// Creates DaemonSets ds0, ds1, … that replace half of their pods at a time.
void create_daemon_sets(const ControlPlane& cluster, int count);
void update_daemon_sets(const ControlPlane& cluster, int count, const std::string& image);
/// Whether every one of them has an updated, available pod on each of `nodes` nodes.
[[nodiscard]] bool daemons_rolled_out(const ControlPlane& cluster, int count, int nodes);

/// Creates StatefulSets s0, s1, … without volumes.
void create_stateful_sets(const ControlPlane& cluster, int count, int replicas);
void update_stateful_sets(const ControlPlane& cluster, int count, const std::string& image);
/// Whether every one of them has all its replicas updated and available.
[[nodiscard]] bool ordinals_rolled_out(const ControlPlane& cluster, int count, int replicas);

}  // namespace davit::live
