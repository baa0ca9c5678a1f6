/// One pass of the node lifecycle controller over many nodes, on the host's own
/// cache.
#include <benchmark/benchmark.h>

#include <davit/context.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "host/loading/note.hpp"
#include "plugins/nodelifecycle/health_pass.hpp"
#include "plugins/nodelifecycle/note.hpp"
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

constexpr const char* kTime = "2026-01-01T00:00:00Z";

/// The items of a list, `make(i)` each.
template <typename Make>
std::string list_of(int count, const Make& make) {
  std::string json = R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"9"},)"
                     R"("items":[)";
  for (int i = 0; i < count; ++i) {
    if (i > 0) json += ',';
    json += make(std::to_string(i));
  }
  return json + "]}";
}

std::string metadata(const std::string& name, const std::string& rest) {
  return R"("metadata":{"name":")" + name + R"(","uid":"uid-)" + name +
         R"(","resourceVersion":"7","creationTimestamp":")" + kTime + "\"" + rest + "}";
}

std::string condition(const std::string& type, const std::string& status) {
  return R"({"type":")" + type + R"(","status":")" + status + R"(","reason":"R","message":"M",)" +
         R"("lastHeartbeatTime":")" + kTime + R"(","lastTransitionTime":")" + kTime + R"("})";
}

std::string node(const std::string& number) {
  return "{" +
         metadata("node-" + number, R"(,"labels":{"topology.kubernetes.io/zone":"zone-)" +
                                        std::string(1, number.back()) + R"("})") +
         R"(,"spec":{},"status":{"conditions":[)" + condition("MemoryPressure", "False") + "," +
         condition("DiskPressure", "False") + "," + condition("PIDPressure", "False") + "," +
         condition("Ready", "True") + "]}}";
}

std::string lease(const std::string& number) {
  return "{" + metadata("node-" + number, R"(,"namespace":"kube-node-lease")") +
         R"(,"spec":{"renewTime":"2026-01-01T00:00:00.000000Z"}})";
}

/// The controller's pass without its timer, in a host whose caches are full.
class NodesInHost final : public ControllerHostTest {
 public:
  explicit NodesInHost(int count) {
    ControllerHostOptions options;
    options.declared =
        parse_note(note_text<nodelifecycle::declare>()).declaration.controllers.front();
    options.plugin = "nodelifecycle";
    options.build_id = "bench";
    make(std::move(options));
    static_cast<void>(init([this](const davit_context& raw, davit_controller&) {
      const davit::detail::CallScope scope(current_call);
      open(raw);
      return DAVIT_STARTED;
    }));
    commit({list_of(count, node), list_of(0, node), list_of(count, lease)});
    run();
  }

  void run() {
    inside(Phase::kSync, [this] {
      const davit::detail::CallScope scope(current_call);
      pass_->run();
    });
  }

 private:
  void TestBody() override {}

  void open(const davit_context& raw) {
    cluster_ = std::make_unique<Context>(raw);
    const nodelifecycle::HealthPass::Caches caches{
        cluster_->open_informer<davit::Node>(), cluster_->open_informer<davit::Pod>(),
        cluster_->open_informer<davit::Lease>(
            {}, {.field_selector = "metadata.namespace=kube-node-lease"})};
    cluster_->add_index(caches.pods, nodelifecycle::kNodeIndex, "spec.nodeName");
    pass_ = std::make_unique<nodelifecycle::HealthPass>(*cluster_, caches, nodelifecycle::Options{},
                                                        unready_);
  }

  nodelifecycle::UnreadyNodes unready_;
  std::unique_ptr<Context> cluster_;
  std::unique_ptr<nodelifecycle::HealthPass> pass_;
};

/// Goal: 100,000 nodes in 100 ms.
void node_pass_over_a_cluster_at_rest(benchmark::State& state) {
  NodesInHost host(static_cast<int>(state.range(0)));
  for (auto _ : state) host.run();
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(node_pass_over_a_cluster_at_rest)->Arg(5000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace davit::host
