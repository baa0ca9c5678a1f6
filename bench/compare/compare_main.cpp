/// davit and kube-controller-manager side by side: the same control plane, the same work, the same
/// QPS.
///
///   davit_compare [--pods=20000] [--nodes=1000] [--deployments=100] [--replicas=10] [--qps=1000]
///
/// Needs KUBEBUILDER_ASSETS. Prints a table in Markdown. Both run the deployment and replicaset
/// controllers only.
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/compare/measure.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/load.hpp"

namespace davit::bench {
namespace {

using live::ControlPlane;
using live::create_deployments;
using live::create_nodes;
using live::create_pods;
using live::pod_bytes;
using live::Process;
using live::rolled_out;
using live::update_deployments;
using std::chrono::seconds;
using std::chrono::steady_clock;

struct Options {
  int pods = 20000;
  int nodes = 1000;
  int deployments = 100;
  int replicas = 10;
  int qps = 1000;
};

struct Peer {
  std::string name;
  std::function<std::unique_ptr<Process>(ControlPlane&)> start;
};

struct Row {
  std::string what;
  std::string unit;
  std::vector<double> values;  // One a peer, in the order of the peers.
};

class Table {
 public:
  void add(const std::string& what, const std::string& unit, double value) {
    for (Row& row : rows_) {
      if (row.what == what) return row.values.push_back(value);
    }
    rows_.push_back({what, unit, {value}});
  }

  void print() const {
    std::printf("| what | unit | kube-controller-manager | davit | ratio |\n");
    std::printf("| --- | --- | ---: | ---: | ---: |\n");
    for (const Row& row : rows_) {
      if (row.values.size() != 2) continue;
      std::printf("| %s | %s | %.2f | %.2f | 1/%.1f |\n", row.what.c_str(), row.unit.c_str(),
                  row.values[0], row.values[1], row.values[0] / std::max(row.values[1], 1e-9));
    }
    std::fflush(stdout);
  }

 private:
  std::vector<Row> rows_;
};

void progress(const std::string& text) { std::cerr << "compare: " << text << std::endl; }

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

void wait_until(const char* what, const std::function<bool()>& done) {
  if (live::eventually(seconds(1200), done, std::chrono::milliseconds(50))) return;
  std::fprintf(stderr, "compare: %s takes too long\n", what);
  std::exit(1);
}

/// A quiet stop; a controller manager that hangs is killed by its destructor.
void stop(Process& process) {
  process.signal(SIGTERM);
  (void)process.wait(seconds(20));
}

/// Start-up on an empty cluster with one ReplicaSet waiting for its pod.
void measure_start(const Peer& peer, Table& table) {
  ControlPlane cluster;
  (void)cluster.must({"create", "-f", "-"},
                     "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: first}\nspec:\n"
                     "  replicas: 1\n  selector: {matchLabels: {app: first}}\n  template:\n"
                     "    metadata: {labels: {app: first}}\n"
                     "    spec: {containers: [{name: a, image: a}]}\n");
  const auto start = steady_clock::now();
  const auto process = peer.start(cluster);
  double lease = 0;
  wait_until("the first pod", [&] {
    if (lease == 0) {
      const std::string leases =
          cluster.read("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases");
      if (leases.find("holderIdentity") != std::string::npos) lease = seconds_since(start);
    }
    return cluster.read("/api/v1/namespaces/default/pods").find("\"name\":\"first-") !=
           std::string::npos;
  });
  table.add("start to lease held (looked at every 50 ms)", "s", lease);
  table.add("start to first pod created (looked at every 50 ms)", "s", seconds_since(start));
  (void)wait_idle(process->pid(), seconds(30));
  table.add("resident, empty cluster", "MiB", cost_of(process->pid()).resident_mib);
  stop(*process);
}

void measure_fill(const Peer& peer, ControlPlane& cluster, Table& table) {
  const auto start = steady_clock::now();
  const auto process = peer.start(cluster);
  // A server with two cores is silent for seconds before the first byte of 20,000 pods: a short
  // quiet says nothing yet.
  const auto idle = wait_idle(process->pid(), seconds(180), seconds(15));
  const Cost cost = cost_of(process->pid());
  table.add("fill the cache: CPU", "s", cost.cpu_seconds);
  table.add("fill the cache: time", "s", std::chrono::duration<double>(idle - start).count());
  table.add("fill the cache: resident", "MiB", cost.resident_mib);
  table.add("fill the cache: peak", "MiB", cost.peak_mib);
  stop(*process);
}

void measure_rollout(const Peer& peer, const Options& options, Table& table) {
  ControlPlane cluster({.apiserver_flags = {"--max-requests-inflight=2000",
                                            "--max-mutating-requests-inflight=1000"}});
  const auto kubelet = cluster.kubelet();
  const auto process = peer.start(cluster);
  (void)wait_idle(process->pid(), seconds(30));
  const double thousands = options.deployments * options.replicas / 1000.0;
  const auto measure = [&](const std::string& what, const std::function<void()>& act) {
    progress(peer.name + ": " + what);
    const double before = cost_of(process->pid()).cpu_seconds;
    const auto start = steady_clock::now();
    act();
    wait_until("a rollout",
               [&] { return rolled_out(cluster, options.deployments, options.replicas); });
    const double time = seconds_since(start);
    (void)wait_idle(process->pid(), seconds(60));
    table.add(what + ": CPU per 1,000 pods", "s",
              (cost_of(process->pid()).cpu_seconds - before) / thousands);
    table.add(what + ": time", "s", time);
  };
  measure("create " + std::to_string(options.deployments) + " Deployments × " +
              std::to_string(options.replicas),
          [&] { create_deployments(cluster, options.deployments, options.replicas); });
  measure("roll them to a new image",
          [&] { update_deployments(cluster, options.deployments, "registry.example.com/app:v2"); });
  table.add("after the rollout: peak", "MiB", cost_of(process->pid()).peak_mib);
  stop(*process);
}

int option(std::string_view argument, std::string_view name, int value) {
  const std::string prefix = "--" + std::string(name) + "=";
  return argument.starts_with(prefix) ? std::atoi(argument.data() + prefix.size()) : value;
}

int compare(int argc, char** argv) {
  if (live::assets().empty()) {
    std::cerr << "compare: set KUBEBUILDER_ASSETS to a folder with kube-apiserver, etcd and "
                 "kube-controller-manager\n";
    return 2;
  }
  Options options;
  for (int i = 1; i < argc; ++i) {
    options.pods = option(argv[i], "pods", options.pods);
    options.nodes = option(argv[i], "nodes", options.nodes);
    options.deployments = option(argv[i], "deployments", options.deployments);
    options.replicas = option(argv[i], "replicas", options.replicas);
    options.qps = option(argv[i], "qps", options.qps);
  }
  const std::vector<std::string> rate = {"--kube-api-qps=" + std::to_string(options.qps),
                                         "--kube-api-burst=" + std::to_string(2 * options.qps)};
  std::vector<std::string> theirs = rate;
  theirs.insert(theirs.end(), {"--leader-elect=true"});
  std::vector<std::string> ours = rate;
  ours.insert(ours.end(), {"--controllers=deployment,replicaset"});
  const std::vector<Peer> peers = {
      {"kube-controller-manager",
       [theirs](ControlPlane& cluster) {
         return cluster.controller_manager("deployment,replicaset", theirs);
       }},
      {"davit", [ours](ControlPlane& cluster) { return cluster.davit(ours); }}};

  Table table;
  for (const Peer& peer : peers) {
    progress(peer.name + ": start");
    measure_start(peer, table);
  }
  {
    ControlPlane cluster({.apiserver_flags = {"--max-requests-inflight=2000",
                                              "--max-mutating-requests-inflight=1000"}});
    progress("creating " + std::to_string(options.nodes) + " nodes and " +
             std::to_string(options.pods) + " pods");
    create_nodes(cluster, options.nodes);
    create_pods(cluster, options.pods, options.nodes);
    std::printf("%d pods of %zu bytes of JSON, %d nodes, %d QPS\n\n", options.pods,
                pod_bytes(cluster), options.nodes, options.qps);
    for (const Peer& peer : peers) {
      progress(peer.name + ": fill");
      measure_fill(peer, cluster, table);
    }
  }
  for (const Peer& peer : peers) measure_rollout(peer, options, table);
  table.print();
  return 0;
}

}  // namespace
}  // namespace davit::bench

int main(int argc, char** argv) { return davit::bench::compare(argc, argv); }
