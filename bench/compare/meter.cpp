#include "bench/compare/meter.hpp"

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/live/support/cost.hpp"

namespace davit::bench {
namespace {

using live::cost_of;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr char kSystemCalls[] = "raw_syscalls:sys_enter";

/// perf, counting the system calls of a process until it is asked.
class SystemCalls {
 public:
  SystemCalls(pid_t pid, const std::filesystem::path& folder) : output_(folder / "perf-stat.txt") {
    if (!why_no_system_calls().empty()) return;
    perf_ = std::make_unique<live::Process>(
        std::vector<std::string>{"perf", "stat", "-x,", "-o", output_.string(), "-e", kSystemCalls,
                                 "-p", std::to_string(pid)},
        folder / "perf.log");
    constexpr std::chrono::milliseconds kUntilAttached{500};
    std::this_thread::sleep_for(kUntilAttached);
  }

  [[nodiscard]] std::optional<double> stop() {
    if (!perf_) return std::nullopt;
    perf_->signal(SIGINT);
    (void)perf_->wait(seconds(10));
    const std::optional<std::uint64_t> count =
        parse_perf_stat(live::read_file(output_), kSystemCalls);
    if (!count) return std::nullopt;
    return static_cast<double>(*count);
  }

 private:
  std::filesystem::path output_;
  std::unique_ptr<live::Process> perf_;
};

/// Threads that have ended do not count; those of both peers stay once they have begun.
double context_switches(pid_t pid) {
  double sum = 0;
  std::error_code ignored;
  const std::filesystem::path tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, ignored)) {
    sum += static_cast<double>(parse_switches(live::read_file(task.path() / "status")));
  }
  return sum;
}

double requests_sent(const RunningPeer& peer) {
  const live::Outcome metrics = live::run({"curl", "-sk", "--max-time", "20", peer.metrics_url});
  return sum_of_metric(metrics.out, "rest_client_requests_total");
}

RequestCounts requests_served(const live::ControlPlane& cluster) {
  return parse_requests(cluster.read("/metrics"));
}

}  // namespace

std::string why_no_system_calls() {
  static const std::string kWhy = [] {
    const live::Outcome tried = live::run(
        {"sh", "-c", std::string("perf stat -x, -e ") + kSystemCalls + " true 2>&1 || exit 1"});
    return parse_perf_stat(tried.out, kSystemCalls) ? "" : "perf stat: " + tried.out;
  }();
  return kWhy;
}

ServersCpu cpu_of_servers(const live::ControlPlane& cluster) {
  return {.apiserver = cost_of(cluster.apiserver_pid()).cpu_seconds,
          .etcd = cost_of(cluster.etcd_pid()).cpu_seconds};
}

Spent measure(const live::ControlPlane& cluster, const RunningPeer& peer,
              const std::function<void()>& work) {
  const pid_t pid = peer.process->pid();
  const double sent_before = requests_sent(peer);
  const RequestCounts served_before = requests_served(cluster);
  SystemCalls system_calls(pid, cluster.scratch());
  const double switches_before = context_switches(pid);
  const ServersCpu servers_before = cpu_of_servers(cluster);
  const double cpu_before = cost_of(pid).cpu_seconds;
  const auto start = steady_clock::now();
  work();
  Spent spent;
  spent.seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
  (void)live::wait_idle(pid, seconds(60));
  spent.cpu_seconds = cost_of(pid).cpu_seconds - cpu_before;
  const ServersCpu servers = cpu_of_servers(cluster);
  spent.servers = {.apiserver = servers.apiserver - servers_before.apiserver,
                   .etcd = servers.etcd - servers_before.etcd};
  spent.context_switches = context_switches(pid) - switches_before;
  spent.system_calls = system_calls.stop();
  spent.served = difference(requests_served(cluster), served_before);
  spent.requests = requests_sent(peer) - sent_before;
  return spent;
}

}  // namespace davit::bench
