// Measures the CPU of a small write in this process: driven by the calling thread, and by the
// transport's thread. Needs a server that may be thrown away: KUBECONFIG of a real
// one or of `davit sandbox`. CPU is that of the whole process.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/api/connect.hpp"
#include "host/api/rest_client.hpp"
#include "host/config/kubeconfig.hpp"
#include "lib/base/spdlog_sink.hpp"

namespace davit::host {
namespace {

/// Sends every request without a loop, so that the transport's thread drives it.
class ThreadTransport final : public Transport {
 public:
  explicit ThreadTransport(Transport& next) : next_(next) {}
  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override {
    request.loop = nullptr;
    return next_.start(std::move(request), reader);
  }
  [[nodiscard]] std::string_view server() const override { return next_.server(); }

 private:
  Transport& next_;
};

struct Spent {
  double cpu_us = 0;
  double switches = 0;

  static Spent now() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto us = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
    };
    return {us(usage.ru_utime) + us(usage.ru_stime),
            static_cast<double>(usage.ru_nvcsw + usage.ru_nivcsw)};
  }
};

enum class Way { kOwnThread, kTransportsThread };

/// Patches a ConfigMap of 100 bytes from `state.range(0)` threads, 200 times each an iteration.
void small_write(benchmark::State& state, Way way) {
  constexpr int kEach = 200;
  if (std::getenv("KUBECONFIG") == nullptr) return state.SkipWithError("KUBECONFIG is not set");
  const auto clock = make_system_clock();
  const auto sink = make_log_sink(LogFormat::kText, 0);
  NoRestMetrics metrics;
  Result<ConnectionConfig> config = load_connection({.environment = process_environment()});
  if (!config) return state.SkipWithError(config.error().message().c_str());
  auto direct = connect(*config, *clock, metrics, Logger(*sink));
  if (!direct) return state.SkipWithError(direct.error().message().c_str());
  ThreadTransport by_thread(**direct);
  Transport& transport = way == Way::kTransportsThread ? by_thread : **direct;
  RestClient client(transport, *clock, metrics, Logger(*sink), RestOptions{.rate = {-1, 0}});

  ApiRequest write;
  write.path = {"", "v1", "configmaps", "", "default", ""};
  write.verb = Verb::kCreate;
  write.body = R"({"metadata":{"name":"client-bench"},"data":{"a":"b"}})";
  static_cast<void>(client.call(write));  // It may be there from the last run.
  write.verb = Verb::kPatch;
  write.path.name = "client-bench";
  write.body = R"({"data":{"a":"b"}})";

  std::atomic<int> failed = 0;
  Spent spent;
  double requests = 0;
  const auto run = [&](int each) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < state.range(0); ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < each; ++n) failed += client.call(write).status.ok() ? 0 : 1;
      });
    }
  };
  run(20);  // Opens the connections.
  for (auto _ : state) {
    const Spent before = Spent::now();
    run(kEach);
    const Spent after = Spent::now();
    spent.cpu_us += after.cpu_us - before.cpu_us;
    spent.switches += after.switches - before.switches;
    requests += kEach * static_cast<double>(state.range(0));
  }
  if (failed > 0) return state.SkipWithError("a write failed");
  state.counters["cpu_us"] = spent.cpu_us / requests;
  state.counters["switches"] = spent.switches / requests;
}

BENCHMARK_CAPTURE(small_write, own_thread, Way::kOwnThread)->Arg(1)->Arg(4)->Arg(16)->UseRealTime();
BENCHMARK_CAPTURE(small_write, transports_thread, Way::kTransportsThread)
    ->Arg(1)
    ->Arg(4)
    ->Arg(16)
    ->UseRealTime();

}  // namespace
}  // namespace davit::host
