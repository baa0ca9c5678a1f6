/// davit and kube-controller-manager side by side: the same control plane, the same work, the same
/// QPS.
///
///   davit_compare [--rounds=start,fill,rollout,whole,services,nodes,jobs,daemons,ordinals,
///                           autoscalers,cidrs,claims,volumes,addresses,devices,kinds,empty]
///                 [--repeat=3] [--chart=FILE] [--write-window=DURATION] [--delays=no]
///                 [--qps=1000] [--kinds=400]
///                 [--pods=20000] [--nodes=1000] [--deployments=100] [--replicas=10]
///                 [--services=500] [--backends=20] [--watched-nodes=5000] [--jobs=500]
///                 [--job-pods=10] [--daemon-sets=50] [--daemon-nodes=200] [--stateful-sets=100]
///                 [--stateful-replicas=5] [--claims=2000] [--volume-pods=500]
///                 [--volume-nodes=50] [--device-pods=1000]
///
/// Needs KUBEBUILDER_ASSETS, kubectl and curl; perf for the system calls. Prints tables in
/// Markdown: each figure is the median of all repetitions, with their range. Both peers run the
/// same controllers: deployment and replicaset to start and to roll out, all six of the first
/// plugins to fill caches and in the round "whole", those of all plugins in the round "empty", and
/// their own one in the other rounds.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/compare/chart.hpp"
#include "bench/compare/rounds.hpp"
#include "tests/live/support/load.hpp"

namespace davit::bench {
namespace {

using live::ControlPlane;

/// Silence costs no node its health, at either peer: a busy machine causes some by itself, and the
/// node of the whole round has no kubelet.
constexpr char kNodeGrace[] = "900s";

/// `flags` and what both peers are given. The lease outlasts a restart of the API server.
std::vector<std::string> client_flags(int qps, std::vector<std::string> flags) {
  flags.insert(
      flags.end(),
      {"--kube-api-qps=" + std::to_string(qps), "--kube-api-burst=" + std::to_string(2 * qps),
       "--leader-elect-lease-duration=600s", "--leader-elect-renew-deadline=500s"});
  return flags;
}

std::vector<std::string> original_flags(const std::string& controllers, const std::string& port) {
  std::vector<std::string> out = {"--leader-elect=true", "--secure-port=" + port,
                                  "--authorization-always-allow-paths=/metrics",
                                  std::string("--node-monitor-grace-period=") + kNodeGrace};
  if (controllers == kNodeCidrs)
    out.insert(out.end(), {"--allocate-node-cidrs", "--cluster-cidr=" + std::string(kPodRange)});
  return out;
}

Peer original(int qps) {
  const std::string name = "kube-controller-manager";
  return {name, [name, qps](ControlPlane& cluster, const std::string& controllers) {
            const std::string port = std::to_string(live::free_port());
            return RunningPeer{
                name,
                cluster.controller_manager(controllers,
                                           client_flags(qps, original_flags(controllers, port))),
                "https://127.0.0.1:" + port + "/metrics"};
          }};
}

/// A plugin in a manifest, with a configuration that all of `controllers` get.
std::string plugin(const std::string& name, std::initializer_list<const char*> controllers,
                   const std::string& config) {
  std::string out = "- name: " + name + "\n  controllers:\n";
  for (const char* each : controllers) {
    out += "    " + std::string(each) + ": {config: {" + config + "}}\n";
  }
  return out;
}

/// The plugins of the first six controllers, or the one of a round that runs one other controller.
std::string manifest_text(const std::string& controllers, const std::string& write_window) {
  const std::string head = "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\nplugins:\n";
  for (const std::string_view own : {"job", "daemonset", "statefulset"}) {
    if (controllers == own) return head + "- name: " + controllers + "\n";
  }
  if (controllers == kBalancers) {
    return head +
           "- name: cloud\n- name: pools\n  controllers:\n    pools:\n      enabled: true\n"
           "      config: {pools: [{name: bench, addresses: [10.99.0.0/16]}]}\n";
  }
  if (controllers == kDeviceClaims) return head + "- name: resourceclaim\n";
  if (controllers == kCollector) return head + "- name: garbagecollector\n";
  if (controllers == "horizontalpodautoscaling") return head + "- name: podautoscaler\n";
  if (controllers == kNodeCidrs) {
    return head + plugin("nodeipam", {"node-ipam-controller"},
                         "allocateNodeCIDRs: true, clusterCIDR: " + std::string(kPodRange));
  }
  if (controllers.starts_with("persistentvolume-binder")) {
    const bool attaches = controllers.ends_with("attachdetach");
    return head + "- name: volumebinder\n- name: volumeprotection\n" +
           (attaches ? "- name: attachdetach\n" : "");
  }
  const std::string config = write_window.empty() ? "" : "writeWindow: " + write_window;
  return head + plugin("deployment", {"deployment-controller"}, config) +
         plugin("replicaset", {"replicaset-controller"}, config) +
         plugin("endpoint", {"endpoints-controller", "endpointslice-controller"}, config) +
         plugin("nodelifecycle", {"node-lifecycle-controller"},
                std::string("nodeMonitorGracePeriod: ") + kNodeGrace);
}

Peer ours(int qps, const std::string& write_window) {
  const std::string name = "davit";
  return {name, [=](ControlPlane& cluster, const std::string& controllers) {
            const std::string port = std::to_string(live::free_port());
            const std::string provider = controllers == kBalancers ? ",pools" : "";
            std::vector<std::string> flags = {"--controllers=" + controllers + provider,
                                              "--port=" + port};
            if (controllers != every_controller()) {  // Without a manifest all plugins are opened.
              const std::filesystem::path manifest = cluster.scratch() / "davit.yaml";
              live::write_file(manifest, manifest_text(controllers, write_window));
              flags.push_back("--manifest=" + manifest.string());
            }
            return RunningPeer{name, cluster.davit(client_flags(qps, std::move(flags))),
                               "http://127.0.0.1:" + port + "/metrics"};
          }};
}

void fill_rounds(const std::vector<Peer>& peers, const Options& options, Report& report) {
  ControlPlane cluster(wide_server());
  progress("creating " + std::to_string(options.nodes) + " nodes and " +
           std::to_string(options.pods) + " pods");
  live::create_nodes(cluster, options.nodes);
  live::create_leases(cluster, options.nodes);
  live::create_pods(cluster, options.pods, options.nodes);
  std::cout << options.pods << " pods of " << live::pod_bytes(cluster) << " bytes of JSON, "
            << options.nodes << " nodes\n\n";
  for (int run = 0; run < options.repeat; ++run) {
    for (const Peer& peer : peers) measure_fill(peer, cluster, report);
  }
}

void run_rounds(const std::vector<Peer>& peers, const Options& options, Report& report) {
  // The peers take turns, so that a change of the machine's speed meets both.
  const auto run = [&](std::string_view round, const auto& measure) {
    if (!options.rounds.contains(round)) return;
    for (int i = 0; i < options.repeat; ++i) {
      for (const Peer& peer : peers) measure(peer);
    }
  };
  run("start", [&](const Peer& peer) { measure_start(peer, report); });
  if (options.rounds.contains("fill")) fill_rounds(peers, options, report);
  run("rollout", [&](const Peer& peer) { measure_rollout(peer, options, report); });
  run("whole", [&](const Peer& peer) { measure_whole(peer, options, report); });
  run("services", [&](const Peer& peer) { measure_services(peer, options, report); });
  run("nodes", [&](const Peer& peer) { measure_nodes(peer, options, report); });
  run("jobs", [&](const Peer& peer) { measure_jobs(peer, options, report); });
  run("daemons", [&](const Peer& peer) { measure_daemon_sets(peer, options, report); });
  run("ordinals", [&](const Peer& peer) { measure_stateful_sets(peer, options, report); });
  run("autoscalers", [&](const Peer& peer) { measure_autoscalers(peer, options, report); });
  run("cidrs", [&](const Peer& peer) { measure_cidrs(peer, options, report); });
  run("claims", [&](const Peer& peer) { measure_claims(peer, options, report); });
  run("volumes", [&](const Peer& peer) { measure_volumes(peer, options, report); });
  run("addresses", [&](const Peer& peer) { measure_addresses(peer, options, report); });
  run("devices", [&](const Peer& peer) { measure_devices(peer, options, report); });
  run("kinds", [&](const Peer& peer) { measure_kinds(peer, options, report); });
  run("empty", [&](const Peer& peer) { measure_empty(peer, report); });
}

int compare(std::span<const std::string_view> arguments) {
  const Result<Options> options = parse_options(arguments);
  if (!options) {
    std::cerr << "compare: " << options.error().message() << '\n';
    return 2;
  }
  if (live::assets().empty()) {
    std::cerr << "compare: set KUBEBUILDER_ASSETS to a folder with kube-apiserver, etcd and "
                 "kube-controller-manager\n";
    return 2;
  }
  std::ofstream picture;
  if (!options->chart.empty()) {
    picture.open(options->chart);
    if (!picture) {
      std::cerr << "compare: --chart: cannot write " << options->chart << '\n';
      return 2;
    }
  }
  if (const std::string why = why_no_system_calls(); !why.empty()) {
    progress("system calls are not counted, because of " + why);
  }
  const std::vector<Peer> peers = {original(options->qps),
                                   ours(options->qps, options->write_window)};
  const std::vector<std::string> names = {peers[0].name, peers[1].name};
  Report report = {.figures = Table(names), .requests = Table(names)};
  run_rounds(peers, *options, report);
  const std::string release = live::server_release();
  std::cout << report.figures.markdown() << "\nRequests that the API server (" << release
            << ") served, those of the bench and of its kubelet included; kinds above 1 %:\n\n"
            << report.requests.markdown();
  if (picture.is_open()) {
    picture << chart(report.figures, "davit's share of kube-controller-manager " + release +
                                         "; medians of " + std::to_string(options->repeat));
  }
  return 0;
}

}  // namespace
}  // namespace davit::bench

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  return davit::bench::compare(arguments);
}
