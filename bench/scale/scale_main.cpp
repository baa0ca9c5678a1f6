/// davit on a very large cluster: what a million pods cost it.
///
///   davit_scale [--pods=1000000] [--nodes=100000] [--services=10000] [--backends=20]
///               [--events=200000]
///
/// Serves a sandbox from this process, which writes the objects straight into its storage, and
/// starts `davit run` with its first six controllers beside it. Measures how the caches are filled
/// and all Endpoints written, how changes of pods are taken in, how everything is listed again, and
/// how a plugin is swapped. Prints a table in Markdown.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/flags.hpp"
#include "bench/scale/cluster_content.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/random.hpp"
#include "lib/base/spdlog_sink.hpp"
#include "lib/kube/json.hpp"
#include "sandbox/faults/fault_layer.hpp"
#include "sandbox/faults/fault_rule.hpp"
#include "sandbox/http/front.hpp"
#include "sandbox/server/api_server.hpp"
#include "tests/live/support/cost.hpp"
#include "tests/live/support/process.hpp"

namespace davit::bench {
namespace {

using live::cost_of;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::steady_clock;

/// Filling a million pods takes minutes, and so may listing them again.
constexpr minutes kLimit{60};
/// Less than the sandbox's history holds, so that the host's watches never fall out of it.
constexpr int kEventsAtOnce = 20'000;

void progress(const std::string& text) { std::cerr << "scale: " << text << std::endl; }

/// An API server of this process, on a loopback port.
class Server {
 public:
  Server() {
    auto opened = sandbox::ApiServer::open({store_, *clock_, *random_, Logger(*sink_)});
    if (!opened) live::give_up(opened.error().message());
    api_ = std::move(*opened);
    faults_ = std::make_unique<sandbox::FaultLayer>(sandbox::FaultParts{*api_, store_, *clock_}, 1);
    auto front = sandbox::open_front({}, *faults_, Logger(*sink_));
    if (!front) live::give_up(front.error().message());
    front_ = std::move(*front);
  }

  [[nodiscard]] sandbox::Store& store() { return store_; }
  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(front_->port());
  }

  /// Ends all watches as expired, so that every client has to list again.
  void expire_watches() {
    auto script = sandbox::parse_fault_script(
        json_literal(R"({"fault":"status","code":410,"target":{"verb":"watch"},"until":"1s"})"));
    if (!script) live::give_up(script.error().message());
    static_cast<void>(faults_->add(std::move(*script)));
  }

 private:
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  const std::unique_ptr<Random> random_ = make_seeded_random(1);
  const std::unique_ptr<LogSink> sink_ = make_log_sink(LogFormat::kText, 0);
  sandbox::Store store_{*clock_};
  std::unique_ptr<sandbox::ApiServer> api_;
  std::unique_ptr<sandbox::FaultLayer> faults_;
  std::unique_ptr<HttpServer> front_;
};

/// `davit run` against the server.
class Host {
 public:
  explicit Host(const Server& server) {
    live::write_file(file("kubeconfig"),
                     "apiVersion: v1\nkind: Config\ncurrent-context: scale\n"
                     "clusters: [{name: scale, cluster: {server: '" +
                         server.url() +
                         "'}}]\nusers: [{name: scale, user: {}}]\n"
                         "contexts: [{name: scale, context: {cluster: scale, user: scale}}]\n");
    // No kubelet renews the Leases, so silence must cost no node its health.
    live::write_file(file("davit.yaml"),
                     "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\nplugins:\n"
                     "- name: deployment\n- name: replicaset\n- name: endpoint\n"
                     "- name: nodelifecycle\n  controllers:\n    node-lifecycle-controller:\n"
                     "      config: {nodeMonitorGracePeriod: 876000h}\n");
    process_ = std::make_unique<live::Process>(
        std::vector<std::string>{DAVIT_PROGRAM, "run", "--kubeconfig", file("kubeconfig"),
                                 "--manifest=" + file("davit.yaml"), "--port=0",
                                 "--control-socket=" + file("socket"), "--kube-api-qps=5000",
                                 "--kube-api-burst=10000", "--leader-elect=false"},
        file("log"));
  }

  [[nodiscard]] pid_t pid() const { return process_->pid(); }
  /// Waits until it has used almost no CPU for `quiet`.
  void await_idle(seconds quiet) {
    (void)live::wait_idle(pid(), kLimit, quiet);
    if (!process_->running()) live::give_up("davit has ended:\n" + process_->output());
  }
  void swap(const std::string& plugin) const {
    const live::Outcome swapped =
        live::run({DAVIT_PROGRAM, "ctl", "swap", plugin, "--control-socket=" + file("socket")}, "",
                  {}, kLimit);
    if (swapped.code != 0) live::give_up("the swap failed: " + swapped.err);
  }

 private:
  [[nodiscard]] std::string file(const std::string& name) const {
    return (scratch_.path() / name).string();
  }

  live::ScratchDir scratch_;
  std::unique_ptr<live::Process> process_;
};

/// The lines of the table.
class Rows {
 public:
  Rows() { std::cout << "| what | unit | value |\n| --- | --- | ---: |\n"; }
  void add(const std::string& what, const std::string& unit, double value) {
    char number[32];
    std::snprintf(number, sizeof number, value < 100 ? "%.2f" : "%.0f", value);
    std::cout << "| " << what << " | " << unit << " | " << number << " |" << std::endl;
  }
};

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

void measure_fill(Server& server, Host& host, const Size& size, Rows& rows) {
  progress("filling the caches");
  const auto start = steady_clock::now();
  const auto written = [&](const sandbox::Collection& collection) {
    return count(server.store(), collection) >= static_cast<std::size_t>(size.services);
  };
  const bool done = live::eventually(
      kLimit,
      [&] {
        return written({"", "endpoints"}) && written({"discovery.k8s.io", "endpointslices"});
      },
      seconds(1));
  if (!done) live::give_up("the Endpoints take too long");
  rows.add("start to the last Endpoints and slice written", "s", seconds_since(start));
  host.await_idle(seconds(5));
  rows.add("… CPU", "s", cost_of(host.pid()).cpu_seconds);
  rows.add("… peak", "MiB", cost_of(host.pid()).peak_mib);
  // davit gives unused memory back every 30 seconds (decisions/011).
  std::this_thread::sleep_for(seconds(35));
  const live::Cost full = cost_of(host.pid());
  rows.add("resident, caches full", "MiB", full.resident_mib);
  rows.add("… private (RssAnon)", "MiB", full.anonymous_mib);
  rows.add("… private, per pod", "bytes", full.anonymous_mib * 1048576 / size.pods);
  rows.add("resident: server with all objects", "MiB", cost_of(getpid()).resident_mib);
}

void measure_events(Server& server, Host& host, const Size& size, int events, Rows& rows) {
  progress("changing pods");
  const double before = cost_of(host.pid()).cpu_seconds;
  int minute = 1;
  for (int sent = 0; sent < events; sent += kEventsAtOnce, ++minute) {
    touch_pods(server.store(), size, sent, std::min(kEventsAtOnce, events - sent), minute);
    host.await_idle(seconds(1));
  }
  const double cpu = cost_of(host.pid()).cpu_seconds - before;
  rows.add(std::to_string(events) + " pods change: CPU, Endpoints of a share of them included", "s",
           cpu);
  rows.add("… changes taken in per second of CPU", "1/s", events / std::max(cpu, 0.01));
}

/// The CPU and the peak of `act`, and waits until the host is idle.
void measure_peak(Host& host, const std::string& what, const std::function<void()>& act,
                  Rows& rows) {
  progress(what);
  live::forget_peak(host.pid());
  const live::Cost before = cost_of(host.pid());
  act();
  host.await_idle(seconds(10));
  const live::Cost after = cost_of(host.pid());
  rows.add(what + ": CPU", "s", after.cpu_seconds - before.cpu_seconds);
  rows.add("… peak", "MiB", after.peak_mib);
  rows.add("… peak, as a multiple of the resident memory before", "×",
           after.peak_mib / before.resident_mib);
}

int measure(std::span<const std::string_view> arguments) {
  Size size;
  int events = 200'000;
  const NumberFlag flags[] = {{"--pods", &size.pods, 1'000'000},
                              {"--nodes", &size.nodes, 100'000},
                              {"--services", &size.services, 50'000},
                              {"--backends", &size.backends, 1'000},
                              {"--events", &events, 10'000'000}};
  if (const Status read = read_flags(arguments, flags); !read.ok()) {
    std::cerr << "scale: " << read.message() << '\n';
    return 2;
  }
  Server server;
  progress("writing the objects");
  fill(server.store(), size);
  std::cout << size.pods << " pods of " << pod_bytes(server.store()) << " bytes of JSON, "
            << size.nodes << " nodes with Leases, " << size.services << " Services of "
            << size.backends << "\n\n";
  Rows rows;
  Host host(server);
  measure_fill(server, host, size, rows);
  measure_events(server, host, size, events, rows);
  measure_peak(
      host, "all watches end, all is listed again", [&] { server.expire_watches(); }, rows);
  measure_peak(
      host, "a swap of the plugin endpoint", [&] { host.swap("endpoint"); }, rows);
  return 0;
}

}  // namespace
}  // namespace davit::bench

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  return davit::bench::measure(arguments);
}
