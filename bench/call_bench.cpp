/// The cost of a host function beyond its work: finding the call, checking thread and phase; in
/// C, and through the SDK, which keeps the call.
#include <benchmark/benchmark.h>

#include <davit/context.hpp>
#include <memory>

#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

class CallsInHost final : public ControllerHostTest {
 public:
  CallsInHost() {
    static_cast<void>(init([this](const davit_context& raw, davit_controller&) {
      const davit::detail::CallScope scope(current_call);
      context_ = std::make_unique<Context>(raw);
      queue_ = open_queue();
      return DAVIT_STARTED;
    }));
  }
  /// Runs `what(call)` again and again inside a sync.
  template <typename What>
  void measure(benchmark::State& state, What what) {
    inside(Phase::kSync, [&] {
      const davit::detail::CallScope scope(current_call);
      const davit_call* const call = current_call;
      for (auto _ : state) benchmark::DoNotOptimize(what(call));
    });
  }
  [[nodiscard]] const Tables& tables() const { return tables_; }
  [[nodiscard]] Context& context() { return *context_; }
  [[nodiscard]] ControllerAbi& controller() { return host_->abi(); }
  [[nodiscard]] davit_handle queue() const { return queue_; }

 private:
  void TestBody() override {}

  std::unique_ptr<Context> context_;
  davit_handle queue_ = 0;
};

void table_log_enabled(benchmark::State& state) {
  CallsInHost host;
  const davit_log_v1* const log = host.tables().log;
  host.measure(state, [log](const davit_call* call) { return log->enabled(call, 1); });
}
BENCHMARK(table_log_enabled);

void sdk_log_enabled(benchmark::State& state) {
  CallsInHost host;
  const Log log = host.context().log();
  host.measure(state, [&log](const davit_call*) { return log.enabled(1); });
}
BENCHMARK(sdk_log_enabled);

void table_failures_of_a_key(benchmark::State& state) {
  CallsInHost host;
  const davit_queue_v1* const queue = host.tables().queue;
  const davit_handle handle = host.queue();
  host.measure(state, [&](const davit_call* call) {
    return queue->failures(call, handle, str("default/web"));
  });
}
BENCHMARK(table_failures_of_a_key);

/// The host's side of one call into a plugin.
void begin_and_end_a_call(benchmark::State& state) {
  CallsInHost host;
  for (auto _ : state) {
    CallFrame frame(host.controller(), Phase::kSync);
    benchmark::DoNotOptimize(frame.call());
  }
}
BENCHMARK(begin_and_end_a_call);

}  // namespace
}  // namespace davit::host
