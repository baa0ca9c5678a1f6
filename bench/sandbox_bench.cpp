// The sandbox's API server as a library: what one core writes and delivers.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/spdlog_sink.hpp"
#include "lib/kube/json.hpp"
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

/// One of the rules of a definition, or of the validations of a policy, about `object`.
std::string rule(int number, const std::string& object) {
  switch (number % 5) {
    case 0:
      return object + ".low <= " + object + ".high + " + std::to_string(number);
    case 1:
      return "!has(" + object + ".absent) || " + object + ".absent > " + std::to_string(number);
    case 2:
      return object + ".name.matches('^[a-z][a-z0-9]{0,6" + std::to_string(number % 4) + "}$')";
    case 3:
      return object + ".parts.all(p, p.size >= 0 && p.size < " + std::to_string(number + 100) + ')';
    default:
      return object + ".labels.all(k, k.startsWith('app')) && size(" + object +
             ".parts) <= " + std::to_string(number + 10);
  }
}

Json rules_for(std::int64_t count, const std::string& object, const std::string& member) {
  Json out = Json::array();
  for (int i = 0; i < count; ++i) out.push_back(Json::object({{member, rule(i, object)}}));
  return out;
}

/// A definition with as many rules as `count`.
std::string definition(std::int64_t count) {
  Json out = json_literal(R"({"metadata":{"name":"widgets.ex.io"},"spec":{"group":"ex.io",
      "scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1",
      "served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
      "spec":{"type":"object","properties":{"low":{"type":"integer"},"high":{"type":"integer"},
      "absent":{"type":"integer"},"name":{"type":"string","maxLength":64},
      "labels":{"type":"object","maxProperties":10,
        "additionalProperties":{"type":"string","maxLength":64}},
      "parts":{"type":"array","maxItems":10,"items":{"type":"object",
        "properties":{"size":{"type":"integer"}}}}}}}}}}]}})");
  Json& version = out["spec"]["versions"].make_array().front();
  Json& spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"];
  if (count > 0) spec.set("x-kubernetes-validations", rules_for(count, "self", "rule"));
  return to_text(out);
}

std::string widget(int number) {
  return R"({"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":"w)" +
         std::to_string(number) +
         R"("},"spec":{"low":1,"high":2,"name":"web",)"
         R"("labels":{"app":"x","app2":"y"},"parts":[{"size":1},{"size":2},{"size":3}]}})";
}

const std::string kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Compiles a definition's rules and estimates their costs.
void DefineRules(benchmark::State& state) {
  Server server;
  const std::string text = definition(state.range(0));
  for (auto _ : state) {
    const HttpServerResponse response = server.send("POST", kDefinitions + "?dryRun=All", text);
    if (response.status != 201) state.SkipWithError(response.body.c_str());
  }
}

void create_widgets(benchmark::State& state, Server& server, std::int64_t evaluations) {
  int number = 0;
  for (auto _ : state) {
    const HttpServerResponse response =
        server.send("POST", "/apis/ex.io/v1/namespaces/default/widgets", widget(number++));
    if (response.status != 201) state.SkipWithError(response.body.c_str());
  }
  state.SetItemsProcessed(state.iterations() * evaluations);
}

/// Items are evaluated rules.
void CreateWithRules(benchmark::State& state) {
  Server server;
  server.send("POST", kDefinitions, definition(state.range(0)));
  create_widgets(state, server, state.range(0));
}

/// Puts a policy of a kind with these members of its spec into force for widgets.
void enforce(Server& server, const std::string& kind, Json spec, Json binding) {
  const std::string group = "/apis/admissionregistration.k8s.io/v1/" + kind + "admissionpolic";
  spec.set("matchConstraints", json_literal(R"({"resourceRules":[{"apiGroups":["ex.io"],
      "apiVersions":["v1"],"operations":["*"],"resources":["widgets"]}]})"));
  const Json metadata = Json::object({{"name", "p"}});
  binding.set("policyName", "p");
  server.send("POST", group + "ies",
              to_text(Json::object({{"metadata", metadata}, {"spec", std::move(spec)}})));
  server.send("POST", group + "ybindings",
              to_text(Json::object({{"metadata", metadata}, {"spec", std::move(binding)}})));
}

/// Items are evaluated validations.
void CreateUnderPolicy(benchmark::State& state) {
  Server server;
  server.send("POST", kDefinitions, definition(0));
  enforce(server, "validating",
          Json::object({{"validations", rules_for(state.range(0), "object.spec", "expression")}}),
          json_literal(R"({"validationActions":["Deny"]})"));
  create_widgets(state, server, state.range(0));
}

/// Items are mutations, each of which merges a label.
void CreateUnderMutations(benchmark::State& state) {
  Server server;
  server.send("POST", kDefinitions, definition(0));
  Json mutations = Json::array();
  for (int i = 0; i < state.range(0); ++i) {
    mutations.push_back(Json::object(
        {{"patchType", "ApplyConfiguration"},
         {"applyConfiguration",
          Json::object({{"expression", "Object{metadata: Object.metadata{labels: {'l" +
                                           std::to_string(i) + "': object.spec.name}}}"}})}}));
  }
  enforce(server, "mutating",
          Json::object({{"reinvocationPolicy", "Never"}, {"mutations", std::move(mutations)}}),
          Json::object());
  create_widgets(state, server, state.range(0));
}

BENCHMARK(Open)->Unit(benchmark::kMicrosecond);
BENCHMARK(CreateConfigMap)->Iterations(20'000);
BENCHMARK(CreatePod)->Iterations(10'000);
BENCHMARK(StoreCreate)->Iterations(100'000);
BENCHMARK(Instances)->Arg(1'000)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(DeliverEvents)->Arg(1)->Arg(50)->Iterations(100);
BENCHMARK(DefineRules)->Arg(0)->Arg(50)->Unit(benchmark::kMillisecond);
BENCHMARK(CreateWithRules)->Arg(0)->Arg(50)->Iterations(5'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(CreateUnderPolicy)->Arg(1)->Arg(50)->Iterations(5'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(CreateUnderMutations)->Arg(1)->Arg(5)->Iterations(5'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace davit::sandbox
