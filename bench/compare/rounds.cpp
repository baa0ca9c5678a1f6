#include "bench/compare/rounds.hpp"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <memory>
#include <thread>

#include "bench/compare/delay_meter.hpp"
#include "host/object/metadata.hpp"
#include "host/object/parse.hpp"
#include "tests/live/support/cost.hpp"
#include "tests/live/support/follow.hpp"
#include "tests/live/support/load.hpp"
#include "tests/live/support/service_load.hpp"

namespace davit::bench {
namespace {

using host::Value;
using live::ControlPlane;
using live::cost_of;
using live::forget_peak;
using live::Process;
using live::wait_idle;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr char kWorkloads[] = "deployment,replicaset";
constexpr char kEndpoints[] = "endpoint,endpointslice";
constexpr char kAll[] = "deployment,replicaset,endpoint,endpointslice,nodelifecycle";
/// Those of the other plugins.
constexpr char kOthers[] =
    ",clusterrole-aggregation,cronjob,daemonset,disruption,endpointslicemirroring,garbagecollector,"
    "job,namespace,podgc,replicationcontroller,resourcequota,"
    "root-ca-cert-publisher,serviceaccount,serviceaccount-token,statefulset,ttl,ttl-after-finished";
constexpr char kNewImage[] = "registry.example.com/app:v2";
/// From this release on eviction by taints is a controller of its own, and old tokens are removed.
constexpr int kMinorWithTaintEviction = 29;
/// Before it, EndpointSlices are v1beta1.
constexpr int kMinorWithSlicesV1 = 21;

std::string all_controllers() {
  return std::string(kAll) +
         (live::server_minor() < kMinorWithTaintEviction ? "" : ",taint-eviction-controller");
}

void add_servers(const std::string& peer, const std::string& what, const ServersCpu& cpu,
                 Table& figures) {
  figures.add(peer, what + ": API server's CPU", "s", cpu.apiserver);
  figures.add(peer, what + ": etcd's CPU", "s", cpu.etcd);
  figures.add(peer, what + ": servers' CPU together", "s", cpu.apiserver + cpu.etcd);
}

void add_spent(const std::string& peer, const std::string& what, const Spent& spent,
               Report& report) {
  Table& figures = report.figures;
  figures.add(peer, what + ": CPU", "s", spent.cpu_seconds);
  add_servers(peer, what, spent.servers, figures);
  figures.add(peer, what + ": time", "s", spent.seconds);
  figures.add(peer, what + ": requests sent", "", spent.requests);
  const double requests = std::max(spent.requests, 1.0);
  figures.add(peer, what + ": CPU per request", "µs", spent.cpu_seconds / requests * 1e6);
  figures.add(peer, what + ": context switches per request", "", spent.context_switches / requests);
  if (spent.system_calls) {
    figures.add(peer, what + ": system calls per request", "", *spent.system_calls / requests);
  }
  report.requests.add(peer, what + ": all", "requests", total(spent.served));
  const double few = total(spent.served) / 100;
  for (const auto& [name, count] : spent.served) {
    if (count >= few) report.requests.add(peer, what + ": " + name, "requests", count);
  }
}

/// Notes when the first object arrives on a watch that `matches` accepts.
class Arrival {
 public:
  using Matches = std::function<bool(host::Value object)>;

  Arrival(const ControlPlane& cluster, host::ResourcePath path, Matches matches)
      : thread_([this, &cluster, path = std::move(path),
                 matches = std::move(matches)](const std::stop_token& end) {
          host::ObjectSpace space;
          live::follow(cluster.client(), path, end,
                       [&](host::WatchType type, std::string_view json) -> Result<std::string> {
                         const Result<host::ObjectRef> object = host::parse_object(space, json);
                         if (!object) return object.error();
                         const bool is_bookmark = type == host::WatchType::kBookmark;
                         if (!arrived() && !is_bookmark && matches(object->root())) {
                           at_ = steady_clock::now().time_since_epoch().count();
                         }
                         return std::string(object->root()["metadata"]["resourceVersion"].string());
                       });
        }) {}

  [[nodiscard]] bool arrived() const { return at_ != 0; }
  [[nodiscard]] double milliseconds_since(steady_clock::time_point start) const {
    return std::chrono::duration<double, std::milli>(
               steady_clock::time_point(steady_clock::duration(at_)) - start)
        .count();
  }

 private:
  std::atomic<steady_clock::rep> at_ = 0;  // 0: not yet. Published alone, so any order will do.
  std::jthread thread_;
};

std::string name_of(Value object) { return std::string(object["metadata"]["name"].string()); }

/// From a Deployment, or its new template, to the ReplicaSet. Revisions count as generations do.
std::unique_ptr<DelayMeter> deployment_delays(const ControlPlane& cluster) {
  const auto of_deployment = [](Value object) -> std::vector<std::string> {
    const std::optional<std::int64_t> generation = object["metadata"]["generation"].integer();
    return {name_of(object) + "/" + std::to_string(generation.value_or(0))};
  };
  const auto of_set = [](Value object) -> std::vector<std::string> {
    const Value metadata = object["metadata"];
    const std::string_view revision =
        metadata["annotations"]["deployment.kubernetes.io/revision"].string();
    std::vector<std::string> keys;
    metadata["ownerReferences"].each([&](Value owner) {
      keys.push_back(std::string(owner["name"].string()).append("/").append(revision));
    });
    return keys;
  };
  return std::make_unique<DelayMeter>(
      cluster, DelayMeter::Side{{"apps", "v1", "deployments", "", "default", ""}, of_deployment},
      std::vector<DelayMeter::Effect>{
          {"Deployment to ReplicaSet",
           {{"apps", "v1", "replicasets", "", "default", ""}, of_set}}});
}

/// The names of pods that endpoints or addresses refer to.
std::vector<std::string> pods_of(Value endpoints) {
  std::vector<std::string> names;
  endpoints.each([&names](Value each) {
    const bool is_ready = each["conditions"]["ready"].boolean().value_or(true);
    const std::string_view pod = each["targetRef"]["name"].string();
    if (is_ready && !pod.empty()) names.emplace_back(pod);
  });
  return names;
}

/// From a pod that is ready to its address in Endpoints and EndpointSlices.
std::unique_ptr<DelayMeter> endpoint_delays(const ControlPlane& cluster) {
  const auto ready = [](Value pod) {
    std::vector<std::string> names;
    pod["status"]["conditions"].each([&](Value each) {
      const bool is_ready = each["type"].string() == "Ready" && each["status"].string() == "True";
      if (is_ready) names.push_back(name_of(pod));
    });
    return names;
  };
  const auto of_endpoints = [](Value object) {
    std::vector<std::string> names;
    object["subsets"].each([&names](Value subset) {
      std::ranges::move(pods_of(subset["addresses"]), std::back_inserter(names));
    });
    return names;
  };
  const auto of_slice = [](Value object) { return pods_of(object["endpoints"]); };
  const std::string version = live::server_minor() < kMinorWithSlicesV1 ? "v1beta1" : "v1";
  return std::make_unique<DelayMeter>(
      cluster, DelayMeter::Side{{"", "v1", "pods", "", "default", ""}, ready},
      std::vector<DelayMeter::Effect>{
          {"ready pod to Endpoints", {{"", "v1", "endpoints", "", "default", ""}, of_endpoints}},
          {"ready pod to EndpointSlice",
           {{"discovery.k8s.io", version, "endpointslices", "", "default", ""}, of_slice}}});
}

/// The setting of a round's Deployments.
struct Setting {
  std::string text;  ///< For the names of the rows.
  std::string node;  ///< That the pods are on; "": none.
};

void measure_deployments(ControlPlane& cluster, const RunningPeer& peer, const Options& options,
                         const Setting& setting, Report& report) {
  const Step step{cluster, peer, report};
  const auto delays = options.delays ? deployment_delays(cluster) : nullptr;
  const auto done = [&] {
    return live::rolled_out(cluster, options.deployments, options.replicas);
  };
  const auto run = [&](const std::string& what, const std::function<void()>& act) {
    run_step(step, what, act, done);
    if (delays) delays->report(peer.name, what, report.figures);
  };
  run("create " + std::to_string(options.deployments) + " Deployments × " +
          std::to_string(options.replicas) + setting.text,
      [&] {
        live::create_deployments(cluster, options.deployments, options.replicas, setting.node);
      });
  run("roll them to a new image" + setting.text,
      [&] { live::update_deployments(cluster, options.deployments, kNewImage); });
  add_footprint(cluster, peer, "after the rollout" + setting.text, report.figures);
}

}  // namespace

// Each look costs the server a list, so there are few.
void await_state(const RunningPeer& peer, const char* what, const std::function<bool()>& done) {
  const auto is_over = [&] { return !peer.process->running() || done(); };
  const bool in_time = live::eventually(seconds(1200), is_over, std::chrono::milliseconds(200));
  if (!peer.process->running()) {
    std::fprintf(stderr, "compare: %s ended while it was to bring about %s:\n%s", peer.name.c_str(),
                 what, peer.process->output().c_str());
    std::exit(1);
  }
  if (in_time) return;
  std::fprintf(stderr, "compare: %s takes too long\n", what);
  std::exit(1);
}

void stop_peer(const RunningPeer& peer) {
  peer.process->signal(SIGTERM);
  (void)peer.process->wait(seconds(20));
}

void add_footprint(const ControlPlane& cluster, const RunningPeer& peer, const std::string& what,
                   Table& figures) {
  const live::Cost cost = cost_of(peer.process->pid());
  figures.add(peer.name, what + ": resident", "MiB", cost.resident_mib);
  figures.add(peer.name, what + ": private (RssAnon)", "MiB", cost.anonymous_mib);
  figures.add(peer.name, what + ": peak", "MiB", cost.peak_mib);
  figures.add(peer.name, what + ": threads", "", cost.threads);
  figures.add(peer.name, what + ": sockets", "", live::opened_by(peer.process->pid()).sockets);
  const live::Cost server = cost_of(cluster.apiserver_pid());
  figures.add(peer.name, what + ": API server, resident", "MiB", server.resident_mib);
  figures.add(peer.name, what + ": API server, threads", "", server.threads);
  figures.add(peer.name, what + ": API server, sockets", "",
              live::opened_by(cluster.apiserver_pid()).sockets);
  figures.add(peer.name, what + ": etcd, resident", "MiB",
              cost_of(cluster.etcd_pid()).resident_mib);
}

void run_step(const Step& step, const std::string& what, const std::function<void()>& act,
              const std::function<bool()>& done) {
  progress(step.peer.name + ": " + what);
  const Spent spent = measure(step.cluster, step.peer, [&] {
    act();
    await_state(step.peer, what.c_str(), done);
  });
  add_spent(step.peer.name, what, spent, step.report);
}

std::string every_controller() {
  const bool is_new = live::server_minor() >= kMinorWithTaintEviction;
  return all_controllers() + kOthers + (is_new ? ",legacy-service-account-token-cleaner" : "");
}

live::ControlPlaneOptions wide_server() {
  return {
      .apiserver_flags = {"--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000"},
      .disk = live::Disk::kSynced};
}

void progress(const std::string& text) { std::cerr << "compare: " << text << std::endl; }

void measure_start(const Peer& peer, Report& report) {
  progress(peer.name + ": start");
  ControlPlane cluster({.apiserver_flags = {}, .disk = live::Disk::kSynced});
  (void)cluster.must({"create", "-f", "-"},
                     "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: first}\nspec:\n"
                     "  replicas: 1\n  selector: {matchLabels: {app: first}}\n  template:\n"
                     "    metadata: {labels: {app: first}}\n"
                     "    spec: {containers: [{name: a, image: a}]}\n");
  const Arrival lease(cluster, {"coordination.k8s.io", "v1", "leases", "", "kube-system", ""},
                      [&](host::Value object) {
                        return object["metadata"]["name"].string() == peer.name &&
                               !object["spec"]["holderIdentity"].string().empty();
                      });
  const Arrival pod(cluster, {"", "v1", "pods", "", "default", ""},
                    [](host::Value) { return true; });
  constexpr seconds kUntilWatched{2};
  std::this_thread::sleep_for(kUntilWatched);

  const auto start = steady_clock::now();
  const RunningPeer running = peer.start(cluster, kWorkloads);
  await_state(running, "the first pod", [&] { return lease.arrived() && pod.arrived(); });
  Table& figures = report.figures;
  figures.add(peer.name, "start to lease held", "ms", lease.milliseconds_since(start));
  figures.add(peer.name, "start to first pod created", "ms", pod.milliseconds_since(start));
  (void)wait_idle(running.process->pid(), seconds(30));
  add_footprint(cluster, running, "empty cluster", figures);
  stop_peer(running);
}

void measure_fill(const Peer& peer, ControlPlane& cluster, Report& report) {
  progress(peer.name + ": fill");
  Table& figures = report.figures;
  const ServersCpu before = cpu_of_servers(cluster);
  const auto start = steady_clock::now();
  const RunningPeer running = peer.start(cluster, all_controllers());
  const pid_t pid = running.process->pid();
  // A server with two cores is silent for seconds before the first byte of 20,000 pods: a short
  // quiet says nothing yet.
  const auto idle = wait_idle(pid, seconds(180), seconds(15));
  const ServersCpu after = cpu_of_servers(cluster);
  figures.add(peer.name, "fill the cache: CPU", "s", cost_of(pid).cpu_seconds);
  add_servers(peer.name, "fill the cache",
              {.apiserver = after.apiserver - before.apiserver, .etcd = after.etcd - before.etcd},
              figures);
  figures.add(peer.name, "fill the cache: time", "s",
              std::chrono::duration<double>(idle - start).count());
  // davit trims its heap every 30 seconds (decisions/011), Go's runtime bit by bit.
  (void)wait_idle(pid, seconds(180), seconds(40));
  add_footprint(cluster, running, "fill the cache", figures);

  progress(peer.name + ": relist");
  forget_peak(pid);
  const double cpu_before = cost_of(pid).cpu_seconds;
  // To a server that has just started every version is too old to watch from.
  cluster.stop_apiserver(SIGKILL);
  cluster.start_apiserver();
  (void)wait_idle(pid, seconds(180), seconds(20));
  figures.add(peer.name, "relist: CPU", "s", cost_of(pid).cpu_seconds - cpu_before);
  figures.add(peer.name, "relist: peak", "MiB", cost_of(pid).peak_mib);
  stop_peer(running);
}

void measure_rollout(const Peer& peer, const Options& options, Report& report) {
  ControlPlane cluster(wide_server());
  const auto kubelet = cluster.kubelet();
  const RunningPeer running = peer.start(cluster, kWorkloads);
  (void)wait_idle(running.process->pid(), seconds(30));
  measure_deployments(cluster, running, options, {}, report);
  stop_peer(running);
}

void measure_whole(const Peer& peer, const Options& options, Report& report) {
  ControlPlane cluster(wide_server());
  // No slice has pods of a node that does not exist.
  live::create_nodes(cluster, 1);
  live::create_services(cluster, options.deployments);
  const auto kubelet = cluster.kubelet({"--addresses"});
  const RunningPeer running = peer.start(cluster, all_controllers());
  (void)wait_idle(running.process->pid(), seconds(30));
  measure_deployments(cluster, running, options,
                      {.text = ", each with a Service", .node = "node-0"}, report);
  stop_peer(running);
}

void measure_services(const Peer& peer, const Options& options, Report& report) {
  progress(peer.name + ": services");
  ControlPlane cluster(wide_server());
  live::ServiceLoad load(cluster.client(), options.services, options.backends);
  load.create();
  const std::string what = std::to_string(options.services) + " Services × " +
                           std::to_string(options.backends) + " pods";
  const RunningPeer running = peer.start(cluster, kEndpoints);
  const auto delays = options.delays ? endpoint_delays(cluster) : nullptr;
  const auto await_endpoints = [&] {
    await_state(running, "the Endpoints", [&] { return load.endpoints_follow(); });
  };
  await_endpoints();
  (void)wait_idle(running.process->pid(), seconds(60));
  report.figures.add(peer.name, what + ": CPU to fill the Endpoints", "s",
                     cost_of(running.process->pid()).cpu_seconds);
  if (delays) delays->forget();
  const std::string update = what + ", a rolling update";
  add_spent(peer.name, update,
            measure(cluster, running,
                    [&] {
                      load.roll();
                      await_endpoints();
                    }),
            report);
  if (delays) delays->report(peer.name, update, report.figures);
  add_footprint(cluster, running, what, report.figures);
  stop_peer(running);
}

void measure_nodes(const Peer& peer, const Options& options, Report& report) {
  progress(peer.name + ": nodes");
  ControlPlane cluster(wide_server());
  live::create_nodes(cluster, options.watched_nodes);
  live::create_leases(cluster, options.watched_nodes);
  const std::string what = std::to_string(options.watched_nodes) + " nodes with Leases";
  const RunningPeer running = peer.start(cluster, "nodelifecycle");
  (void)wait_idle(running.process->pid(), seconds(30), seconds(4));
  report.figures.add(peer.name, what + ": CPU to fill", "s",
                     cost_of(running.process->pid()).cpu_seconds);
  const ServersCpu servers_before = cpu_of_servers(cluster);
  const double before = cost_of(running.process->pid()).cpu_seconds;
  const auto end = steady_clock::now() + seconds(60);
  for (auto next = steady_clock::now(); next < end; next += seconds(30)) {
    live::renew_leases(cluster, options.watched_nodes);
    std::this_thread::sleep_until(std::min(next + seconds(30), end));
  }
  const std::string minute = what + ", a minute, each Lease renewed twice";
  report.figures.add(peer.name, minute + ": CPU", "s",
                     cost_of(running.process->pid()).cpu_seconds - before);
  const ServersCpu servers = cpu_of_servers(cluster);
  add_servers(peer.name, minute,
              {.apiserver = servers.apiserver - servers_before.apiserver,
               .etcd = servers.etcd - servers_before.etcd},
              report.figures);
  add_footprint(cluster, running, what, report.figures);
  stop_peer(running);
}

void measure_jobs(const Peer& peer, const Options& options, Report& report) {
  ControlPlane cluster(wide_server());
  const auto kubelet = cluster.kubelet();
  const RunningPeer running = peer.start(cluster, "job");
  (void)wait_idle(running.process->pid(), seconds(30));
  run_step(
      {cluster, running, report},
      "run " + std::to_string(options.jobs) + " Jobs × " + std::to_string(options.job_pods) +
          " pods",
      [&] { live::create_jobs(cluster, options.jobs, options.job_pods); },
      [&] { return live::completed(cluster, options.jobs); });
  add_footprint(cluster, running, "after the Jobs", report.figures);
  stop_peer(running);
}

void measure_daemon_sets(const Peer& peer, const Options& options, Report& report) {
  ControlPlane cluster(wide_server());
  live::create_nodes(cluster, options.daemon_nodes);
  live::untaint_nodes(cluster, options.daemon_nodes);
  const auto kubelet = cluster.kubelet();
  const RunningPeer running = peer.start(cluster, "daemonset");
  (void)wait_idle(running.process->pid(), seconds(30));
  const Step step{cluster, running, report};
  const auto done = [&] {
    return live::daemons_rolled_out(cluster, options.daemon_sets, options.daemon_nodes);
  };
  run_step(
      step,
      "create " + std::to_string(options.daemon_sets) + " DaemonSets on " +
          std::to_string(options.daemon_nodes) + " nodes",
      [&] { live::create_daemon_sets(cluster, options.daemon_sets); }, done);
  run_step(
      step, "roll the DaemonSets to a new image",
      [&] { live::update_daemon_sets(cluster, options.daemon_sets, kNewImage); }, done);
  add_footprint(cluster, running, "after the roll of DaemonSets", report.figures);
  stop_peer(running);
}

void measure_stateful_sets(const Peer& peer, const Options& options, Report& report) {
  ControlPlane cluster(wide_server());
  const auto kubelet = cluster.kubelet();
  const RunningPeer running = peer.start(cluster, "statefulset");
  (void)wait_idle(running.process->pid(), seconds(30));
  const Step step{cluster, running, report};
  const auto done = [&] {
    return live::ordinals_rolled_out(cluster, options.stateful_sets, options.stateful_replicas);
  };
  run_step(
      step,
      "create " + std::to_string(options.stateful_sets) + " StatefulSets × " +
          std::to_string(options.stateful_replicas),
      [&] {
        live::create_stateful_sets(cluster, options.stateful_sets, options.stateful_replicas);
      },
      done);
  run_step(
      step, "roll the StatefulSets to a new image",
      [&] { live::update_stateful_sets(cluster, options.stateful_sets, kNewImage); }, done);
  add_footprint(cluster, running, "after the roll of StatefulSets", report.figures);
  stop_peer(running);
}

void measure_empty(const Peer& peer, Report& report) {
  progress(peer.name + ": all controllers on an empty cluster");
  ControlPlane cluster({.apiserver_flags = {}, .disk = live::Disk::kSynced});
  const RunningPeer running = peer.start(cluster, every_controller());
  // Until caches are filled and what only the start needed has been given back. davit trims its
  // heap every 30 seconds (decisions/011), so the samples are spread over two such periods.
  constexpr seconds kStart{40};
  constexpr seconds kPeriod{5};
  constexpr int kSamples = 12;
  auto next = steady_clock::now() + kStart;
  for (int i = 0; i < kSamples; ++i, next += kPeriod) {
    std::this_thread::sleep_until(next);
    add_footprint(cluster, running, "all controllers, empty cluster", report.figures);
  }
  stop_peer(running);
}

}  // namespace davit::bench
