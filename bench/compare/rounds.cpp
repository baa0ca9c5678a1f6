#include "bench/compare/rounds.hpp"

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "tests/live/support/cost.hpp"
#include "tests/live/support/load.hpp"
#include "tests/live/support/service_load.hpp"

namespace davit::bench {
namespace {

using live::ControlPlane;
using live::cost_of;
using live::forget_peak;
using live::Process;
using live::wait_idle;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr char kWorkloads[] = "deployment,replicaset";
constexpr char kAll[] = "deployment,replicaset,endpoint,nodelifecycle";

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

/// A quiet stop; a controller manager that hangs is killed by its destructor.
void stop(Process& process) {
  process.signal(SIGTERM);
  (void)process.wait(seconds(20));
}

/// CPU seconds that a process takes for `work` and for what comes of it.
double cpu_of(Process& process, const std::function<void()>& work) {
  const double before = cost_of(process.pid()).cpu_seconds;
  work();
  (void)wait_idle(process.pid(), seconds(60));
  return cost_of(process.pid()).cpu_seconds - before;
}

}  // namespace

live::ControlPlaneOptions wide_server() {
  return {
      .apiserver_flags = {"--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000"}};
}

void progress(const std::string& text) { std::cerr << "compare: " << text << std::endl; }

void wait_until(const char* what, const std::function<bool()>& done) {
  if (live::eventually(seconds(1200), done, std::chrono::milliseconds(50))) return;
  std::fprintf(stderr, "compare: %s takes too long\n", what);
  std::exit(1);
}

void measure_start(const Peer& peer, Table& table) {
  progress(peer.name + ": start");
  ControlPlane cluster;
  (void)cluster.must({"create", "-f", "-"},
                     "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: first}\nspec:\n"
                     "  replicas: 1\n  selector: {matchLabels: {app: first}}\n  template:\n"
                     "    metadata: {labels: {app: first}}\n"
                     "    spec: {containers: [{name: a, image: a}]}\n");
  const auto start = steady_clock::now();
  const auto process = peer.start(cluster, kWorkloads);
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
  progress(peer.name + ": fill");
  const auto start = steady_clock::now();
  const auto process = peer.start(cluster, kAll);
  // A server with two cores is silent for seconds before the first byte of 20,000 pods: a short
  // quiet says nothing yet.
  const auto idle = wait_idle(process->pid(), seconds(180), seconds(15));
  const live::Cost cost = cost_of(process->pid());
  table.add("fill the cache: CPU", "s", cost.cpu_seconds);
  table.add("fill the cache: time", "s", std::chrono::duration<double>(idle - start).count());
  table.add("fill the cache: resident", "MiB", cost.resident_mib);
  table.add("fill the cache: peak", "MiB", cost.peak_mib);

  progress(peer.name + ": relist");
  forget_peak(process->pid());
  const double relisted = cpu_of(*process, [&] {
    // To a server that has just started every version is too old to watch from.
    cluster.stop_apiserver(SIGKILL);
    cluster.start_apiserver();
    (void)wait_idle(process->pid(), seconds(180), seconds(20));
  });
  table.add("list all anew: CPU", "s", relisted);
  table.add("list all anew: peak", "MiB", cost_of(process->pid()).peak_mib);
  stop(*process);
}

void measure_rollout(const Peer& peer, const Options& options, Table& table) {
  ControlPlane cluster(wide_server());
  const auto kubelet = cluster.kubelet();
  const auto process = peer.start(cluster, kWorkloads);
  (void)wait_idle(process->pid(), seconds(30));
  const double thousands = options.deployments * options.replicas / 1000.0;
  const auto measure = [&](const std::string& what, const std::function<void()>& act) {
    progress(peer.name + ": " + what);
    const auto start = steady_clock::now();
    double time = 0;
    const double cpu = cpu_of(*process, [&] {
      act();
      wait_until("a rollout",
                 [&] { return live::rolled_out(cluster, options.deployments, options.replicas); });
      time = seconds_since(start);
    });
    table.add(what + ": CPU per 1,000 pods", "s", cpu / thousands);
    table.add(what + ": time", "s", time);
  };
  measure("create " + std::to_string(options.deployments) + " Deployments × " +
              std::to_string(options.replicas),
          [&] { live::create_deployments(cluster, options.deployments, options.replicas); });
  measure("roll them to a new image", [&] {
    live::update_deployments(cluster, options.deployments, "registry.example.com/app:v2");
  });
  table.add("after the rollout: peak", "MiB", cost_of(process->pid()).peak_mib);
  stop(*process);
}

void measure_services(const Peer& peer, const Options& options, Table& table) {
  progress(peer.name + ": services");
  ControlPlane cluster(wide_server());
  live::ServiceLoad load(cluster.client(), options.services, options.backends);
  load.create();
  const std::string what = std::to_string(options.services) + " Services × " +
                           std::to_string(options.backends) + " pods: ";
  const auto process = peer.start(cluster, "endpoint");
  const auto await_endpoints = [&] {
    wait_until("the Endpoints", [&] { return load.endpoints_follow(); });
  };
  await_endpoints();
  (void)wait_idle(process->pid(), seconds(60));
  table.add(what + "CPU to fill the Endpoints", "s", cost_of(process->pid()).cpu_seconds);
  table.add(what + "CPU of a rolling update", "s", cpu_of(*process, [&] {
              load.roll();
              await_endpoints();
            }));
  table.add(what + "resident afterwards", "MiB", cost_of(process->pid()).resident_mib);
  table.add(what + "peak", "MiB", cost_of(process->pid()).peak_mib);
  stop(*process);
}

void measure_nodes(const Peer& peer, const Options& options, Table& table) {
  progress(peer.name + ": nodes");
  ControlPlane cluster(wide_server());
  live::create_nodes(cluster, options.watched_nodes);
  live::create_leases(cluster, options.watched_nodes);
  const std::string what = std::to_string(options.watched_nodes) + " nodes with Leases: ";
  const auto process = peer.start(cluster, "nodelifecycle");
  (void)wait_idle(process->pid(), seconds(30), seconds(4));
  table.add(what + "CPU to fill", "s", cost_of(process->pid()).cpu_seconds);
  const double before = cost_of(process->pid()).cpu_seconds;
  const auto end = steady_clock::now() + seconds(60);
  for (auto next = steady_clock::now(); next < end; next += seconds(30)) {
    live::renew_leases(cluster, options.watched_nodes);
    std::this_thread::sleep_until(std::min(next + seconds(30), end));
  }
  table.add(what + "CPU of a minute, each Lease renewed twice", "s",
            cost_of(process->pid()).cpu_seconds - before);
  table.add(what + "resident", "MiB", cost_of(process->pid()).resident_mib);
  table.add(what + "peak", "MiB", cost_of(process->pid()).peak_mib);
  stop(*process);
}

}  // namespace davit::bench
