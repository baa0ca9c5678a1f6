// The sandbox's API server as a library: what one core writes and delivers.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/spdlog_sink.hpp"
#include "sandbox/server/api_server.hpp"

namespace davit::sandbox {
namespace {

struct Server {
  Server() {
    auto opened = ApiServer::open({store, *clock, *random, Logger(*sink)});
    handler = std::move(*opened);
  }

  HttpServerResponse send(std::string method, std::string target, std::string body = "") {
    HttpServerRequest request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    return handler->handle(request);
  }

  std::unique_ptr<Clock> clock = make_system_clock();
  std::unique_ptr<Random> random = make_seeded_random(1);
  std::unique_ptr<LogSink> sink = make_log_sink(LogFormat::kText, 0);
  Store store{*clock};
  std::unique_ptr<ApiServer> handler;
};

std::string config_map(int number) {
  return R"({"metadata":{"name":"m)" + std::to_string(number) +
         R"(","labels":{"app":"x"}},"data":{"key":"value"}})";
}

std::string pod(int number) {
  return R"({"metadata":{"name":"p)" + std::to_string(number) +
         R"(","labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"nginx"}]}})";
}

void Open(benchmark::State& state) {
  for (auto _ : state) {
    Server server;
    benchmark::DoNotOptimize(server.handler.get());
  }
}

void create(benchmark::State& state, const char* resource, std::string (*body)(int)) {
  Server server;
  const std::string target = std::string("/api/v1/namespaces/default/") + resource;
  int number = 0;
  for (auto _ : state) {
    const HttpServerResponse response = server.send("POST", target, body(number++));
    if (response.status != 201) state.SkipWithError(response.body.c_str());
  }
  state.SetItemsProcessed(state.iterations());
}

void CreateConfigMap(benchmark::State& state) { create(state, "configmaps", config_map); }
void CreatePod(benchmark::State& state) { create(state, "pods", pod); }

/// As many watches as the range says follow the same changes.
void DeliverEvents(benchmark::State& state) {
  constexpr int kChanges = 100;
  Server server;
  const std::string target = "/api/v1/namespaces/default/configmaps";
  std::vector<std::unique_ptr<HttpBodyStream>> watches;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    watches.push_back(std::move(server.send("GET", target + "?watch=1").stream));
  }
  int number = 0;
  std::string out;
  for (auto _ : state) {
    state.PauseTiming();
    for (int i = 0; i < kChanges; ++i) server.send("POST", target, config_map(number++));
    state.ResumeTiming();
    for (auto& watch : watches) {
      out.clear();
      static_cast<void>(watch->read(out, 1 << 20));
      benchmark::DoNotOptimize(out.data());
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * kChanges);
}

/// The storage alone, without the rules of the API.
void StoreCreate(benchmark::State& state) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  Store store(*clock);
  const Json object = json_literal(pod(0));
  int number = 0;
  for (auto _ : state) {
    Draft draft{"default", "p" + std::to_string(number++), object, {}, {}};
    if (!store.create({"", "pods"}, std::move(draft))) state.SkipWithError("refused");
  }
  state.SetItemsProcessed(state.iterations());
}

/// Instances side by side, each with a pod of its own.
void Instances(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<std::unique_ptr<Server>> servers;
    for (int i = 0; i < state.range(0); ++i) {
      servers.push_back(std::make_unique<Server>());
      servers.back()->send("POST", "/api/v1/namespaces/default/pods", pod(i));
    }
    for (const auto& each : servers) {
      if (each->store.list({"", "pods"}, "").objects.size() == 1) continue;
      state.SkipWithError("an instance does not hold just its own pod");
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(Open)->Unit(benchmark::kMicrosecond);
BENCHMARK(CreateConfigMap)->Iterations(20'000);
BENCHMARK(CreatePod)->Iterations(10'000);
BENCHMARK(StoreCreate)->Iterations(100'000);
BENCHMARK(Instances)->Arg(1'000)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(DeliverEvents)->Arg(1)->Arg(50)->Iterations(100);

}  // namespace
}  // namespace davit::sandbox
