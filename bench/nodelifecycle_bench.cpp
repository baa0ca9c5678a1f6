/// A pass of the node lifecycle controller over a large cluster: the host's own objects behind the
/// C table, lists and look-ups from prepared containers, everything else answers at once.
#include <benchmark/benchmark.h>

#include <chrono>
#include <davit/context.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/object/abi.hpp"
#include "host/object/object.hpp"
#include "host/object/object_space.hpp"
#include "host/object/parse.hpp"
#include "plugins/nodelifecycle/health_pass.hpp"

namespace {

using davit::from_c;

constexpr int kNodes = 100'000;

std::string node_json(const std::string& name) {
  constexpr std::string_view kEnd = R"(","lastTransitionTime":"2024-05-01T11:00:00Z",
      "reason":"R","message":"M"})";
  std::string conditions;
  for (const char* type : {"MemoryPressure", "DiskPressure", "PIDPressure"}) {
    conditions += R"({"type":")" + std::string(type) +
                  R"(","status":"False","lastHeartbeatTime":"2024-05-01T11:59:00Z)" +
                  std::string(kEnd) + ",";
  }
  conditions += R"({"type":"Ready","status":"True","lastHeartbeatTime":"2024-05-01T11:59:00Z)" +
                std::string(kEnd);
  return R"({"metadata":{"name":")" + name + R"(","uid":"uid-)" + name +
         R"(","resourceVersion":"7","creationTimestamp":"2024-05-01T11:00:00Z","labels":{
         "kubernetes.io/hostname":")" +
         name + R"(","topology.kubernetes.io/region":"r","topology.kubernetes.io/zone":"z"}},
         "spec":{},"status":{"conditions":[)" +
         conditions + "]}}";
}

std::string lease_json(const std::string& name, int version) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"kube-node-lease",
      "resourceVersion":")" +
         std::to_string(version) + R"("},"spec":{"renewTime":"2024-05-01T12:00:0)" +
         std::to_string(version % 10) + R"(.000000Z"}})";
}

/// The capability tables that a pass needs. What davit_host points to.
class Host {
 public:
  Host() {
    davit::host::fill_object_table(object_);
    object_.size = sizeof(object_);
    object_.name = [](davit_host* host, davit_str text) {
      return of(host).space_.intern(from_c(text));
    };
    for (int i = 0; i < kNodes; ++i) {
      names_.push_back("node-" + std::to_string(i));
      nodes_.push_back(keep(node_json(names_.back())));
    }
    renew(1, 1);
    raw_.size = sizeof(raw_);
    raw_.host = reinterpret_cast<davit_host*>(this);
    raw_.capability = &Host::capability;
    raw_.error_text = [](davit_host*, davit_str) {};
  }

  /// Renews the Lease of each `step`-th node.
  void renew(int version, int step) {
    for (int i = version % step; i < kNodes; i += step) {
      leases_[names_[static_cast<std::size_t>(i)]] =
          keep(lease_json(names_[static_cast<std::size_t>(i)], version));
    }
  }
  [[nodiscard]] const davit_context& raw() const { return raw_; }

 private:
  static Host& of(davit_host* host) { return *reinterpret_cast<Host*>(host); }

  davit_value keep(const std::string& json) {
    objects_.push_back(parser_.parse(json).value());
    return objects_.back().root().raw;
  }

  static davit_code get(davit_host* host, davit_handle, davit_str ns, davit_str name,
                        davit_value* out) {
    if (ns.size == 0) return DAVIT_NOT_FOUND;
    const auto found = of(host).leases_.find(std::string(from_c(name)));
    if (found == of(host).leases_.end()) return DAVIT_NOT_FOUND;
    *out = found->second;
    return DAVIT_OK;
  }
  static davit_code select(davit_host* host, davit_handle, davit_str index, davit_str,
                           davit_list* out) {
    const auto& nodes = of(host).nodes_;
    *out = {nodes.data(), index.size == 0 ? nodes.size() : 0};
    return DAVIT_OK;
  }
  static std::int64_t nanoseconds(davit_host*) {
    return std::chrono::steady_clock::now().time_since_epoch().count();
  }

  static const void* capability(davit_host* host, davit_str id) {
    static constexpr davit_informer_v1 kInformer = {
        sizeof(davit_informer_v1),
        0,
        [](davit_host*, const davit_informer_options*, davit_handle*) { return DAVIT_OK + 0; },
        [](davit_host*, davit_handle, davit_str, davit_str) { return DAVIT_OK + 0; },
        &Host::get,
        &Host::select};
    static constexpr davit_queue_v1 kQueue = {sizeof(davit_queue_v1)};
    static constexpr davit_client_v1 kClient = {sizeof(davit_client_v1)};
    static constexpr davit_timer_v1 kTimer = {sizeof(davit_timer_v1)};
    static constexpr davit_event_v1 kEvent = {sizeof(davit_event_v1), 0,
                                              [](davit_host*, const davit_reference*, davit_str,
                                                 davit_str, davit_str) { return DAVIT_OK + 0; }};
    static constexpr davit_log_v1 kLog = {
        sizeof(davit_log_v1), 0,
        [](davit_host*, std::int32_t, davit_str, const davit_log_field*, std::size_t) {}};
    static constexpr davit_clock_v1 kClock = {sizeof(davit_clock_v1), 0, &Host::nanoseconds,
                                              &Host::nanoseconds};
    static constexpr davit_random_v1 kRandom = {sizeof(davit_random_v1)};
    static constexpr davit_metric_v1 kMetric = {
        sizeof(davit_metric_v1), 0,
        [](davit_host*, const davit_metric_options*, davit_handle*) { return DAVIT_OK + 0; },
        [](davit_host*, davit_handle, double, const davit_str*, std::size_t) {
          return DAVIT_OK + 0;
        }};
    static constexpr davit_config_v1 kConfig = {sizeof(davit_config_v1)};
    const std::string_view name = from_c(id);
    if (name == "davit.object/1") return &of(host).object_;
    if (name == "davit.informer/1") return &kInformer;
    if (name == "davit.queue/1") return &kQueue;
    if (name == "davit.client/1") return &kClient;
    if (name == "davit.timer/1") return &kTimer;
    if (name == "davit.event/1") return &kEvent;
    if (name == "davit.log/1") return &kLog;
    if (name == "davit.clock/1") return &kClock;
    if (name == "davit.random/1") return &kRandom;
    if (name == "davit.metric/1") return &kMetric;
    return name == "davit.config/1" ? &kConfig : nullptr;
  }

  davit::host::ObjectSpace space_;
  davit::host::Parser parser_{space_};
  davit_object_v1 object_{};
  davit_context raw_{};
  std::vector<davit::host::ObjectRef> objects_;
  std::vector<std::string> names_;
  std::vector<davit_value> nodes_;
  std::unordered_map<std::string, davit_value> leases_;
};

/// `range(0)`: of so many nodes one has renewed its Lease since the last pass; 0: none has.
void pass_over_100000_nodes(benchmark::State& state) {
  Host host;
  davit::Context context(host.raw());
  davit::nodelifecycle::UnreadyNodes unready;
  davit::nodelifecycle::HealthPass pass(
      context,
      {context.open_informer<davit::Node>(), context.open_informer<davit::Pod>(),
       context.open_informer<davit::Lease>()},
      {}, unready);
  pass.run();
  int version = 1;
  for (auto _ : state) {
    state.PauseTiming();
    if (state.range(0) != 0) host.renew(++version, static_cast<int>(state.range(0)));
    state.ResumeTiming();
    pass.run();
  }
}
// Leases are renewed every ten seconds and a pass comes every five: half of them are new.
BENCHMARK(pass_over_100000_nodes)->Arg(0)->Arg(2)->Iterations(5)->Unit(benchmark::kMillisecond);

}  // namespace
