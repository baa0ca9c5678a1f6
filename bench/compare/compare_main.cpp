/// davit and kube-controller-manager side by side: the same control plane, the same work, the same
/// QPS.
///
///   davit_compare [--rounds=start,fill,rollout,services,nodes] [--pods=20000] [--nodes=1000]
///                 [--deployments=100] [--replicas=10] [--services=500] [--backends=20]
///                 [--watched-nodes=5000] [--qps=1000]
///
/// Needs KUBEBUILDER_ASSETS. Prints a table in Markdown. Both run the same controllers: deployment
/// and replicaset to start and to roll out, all four to fill the cache, one for Services or nodes.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/compare/rounds.hpp"
#include "tests/live/support/load.hpp"

namespace davit::bench {
namespace {

using live::ControlPlane;

/// Silence that a busy machine causes by itself costs no node its health, at either peer.
constexpr char kNodeGrace[] = "120s";
/// `--name=value`, if this is it.
bool take(std::string_view argument, std::string_view name, int& value) {
  const std::string prefix = "--" + std::string(name) + "=";
  if (!argument.starts_with(prefix)) return false;
  value = std::atoi(argument.data() + prefix.size());
  return true;
}

/// `flags` and what both peers are given. The lease outlasts a restart of the API server.
std::vector<std::string> client_flags(int qps, std::vector<std::string> flags) {
  flags.insert(
      flags.end(),
      {"--kube-api-qps=" + std::to_string(qps), "--kube-api-burst=" + std::to_string(2 * qps),
       "--leader-elect-lease-duration=600s", "--leader-elect-renew-deadline=500s"});
  return flags;
}

Peer original(int qps) {
  return {"kube-controller-manager", [qps](ControlPlane& cluster, const std::string& controllers) {
            return cluster.controller_manager(
                controllers,
                client_flags(qps, {"--leader-elect=true",
                                   std::string("--node-monitor-grace-period=") + kNodeGrace}));
          }};
}

Peer ours(int qps) {
  return {
      "davit", [qps](ControlPlane& cluster, const std::string& controllers) {
        const std::filesystem::path manifest = cluster.scratch() / "davit.yaml";
        live::write_file(manifest,
                         "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\nplugins:\n"
                         "- name: deployment\n- name: replicaset\n- name: endpoint\n"
                         "- name: nodelifecycle\n  controllers:\n    node-lifecycle-controller:\n"
                         "      config: {nodeMonitorGracePeriod: " +
                             std::string(kNodeGrace) + "}\n");
        return cluster.davit(
            client_flags(qps, {"--manifest=" + manifest.string(), "--controllers=" + controllers}));
      }};
}

void fill_round(const std::vector<Peer>& peers, const Options& options, Table& table) {
  ControlPlane cluster(wide_server());
  progress("creating " + std::to_string(options.nodes) + " nodes and " +
           std::to_string(options.pods) + " pods");
  live::create_nodes(cluster, options.nodes);
  live::create_leases(cluster, options.nodes);
  live::create_pods(cluster, options.pods, options.nodes);
  std::printf("%d pods of %zu bytes of JSON, %d nodes\n\n", options.pods, live::pod_bytes(cluster),
              options.nodes);
  for (const Peer& peer : peers) measure_fill(peer, cluster, table);
}

int compare(int argc, char** argv) {
  if (live::assets().empty()) {
    std::cerr << "compare: set KUBEBUILDER_ASSETS to a folder with kube-apiserver, etcd and "
                 "kube-controller-manager\n";
    return 2;
  }
  Options options;
  std::string rounds = "start,fill,rollout,services,nodes";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    constexpr std::string_view kRounds = "--rounds=";
    if (argument.starts_with(kRounds)) {
      rounds = argument.substr(kRounds.size());
    } else if (!take(argument, "pods", options.pods) && !take(argument, "nodes", options.nodes) &&
               !take(argument, "deployments", options.deployments) &&
               !take(argument, "replicas", options.replicas) &&
               !take(argument, "services", options.services) &&
               !take(argument, "backends", options.backends) &&
               !take(argument, "watched-nodes", options.watched_nodes) &&
               !take(argument, "qps", options.qps)) {
      std::cerr << "compare: unknown flag " << argument << '\n';
      return 2;
    }
  }
  const auto wanted = [&](const char* round) { return rounds.find(round) != std::string::npos; };
  const std::vector<Peer> peers = {original(options.qps), ours(options.qps)};
  Table table;
  for (const Peer& peer : peers) {
    if (wanted("start")) measure_start(peer, table);
  }
  if (wanted("fill")) fill_round(peers, options, table);
  for (const Peer& peer : peers) {
    if (wanted("rollout")) measure_rollout(peer, options, table);
  }
  for (const Peer& peer : peers) {
    if (wanted("services")) measure_services(peer, options, table);
  }
  for (const Peer& peer : peers) {
    if (wanted("nodes")) measure_nodes(peer, options, table);
  }
  table.print();
  return 0;
}

}  // namespace
}  // namespace davit::bench

int main(int argc, char** argv) { return davit::bench::compare(argc, argv); }
