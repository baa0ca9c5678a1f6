// Plugins are swapped while they work.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "host/api/rest_client.hpp"
#include "host/cli/host_plan.hpp"
#include "host/cli/host_process.hpp"
#include "host/cli/local_cluster.hpp"
#include "host/object/watch_splitter.hpp"
#include "sandbox/json/json.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using sandbox::Json;

constexpr int kReplicas = 30;
constexpr int kSwaps = 10;  // Of each plugin, at the least.

/// Counts what the server is asked to list or watch for the caches, and the pods that it is asked
/// for.
class CountingTransport final : public Transport {
 public:
  explicit CountingTransport(Transport& next) : next_(next) {}

  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override {
    if (request.method == "GET" && request.lane == Lane::kWatch) ++reads_;
    if (request.method == "POST" && request.target.find("/default/pods") != std::string::npos)
      ++pods_;
    return next_.start(std::move(request), reader);
  }
  [[nodiscard]] std::string_view server() const override { return next_.server(); }
  [[nodiscard]] int reads() const { return reads_.load(); }
  [[nodiscard]] int pods() const { return pods_.load(); }

 private:
  Transport& next_;
  std::atomic<int> reads_{0};
  std::atomic<int> pods_{0};
};

class HotSwapTest : public testing::Test {
 protected:
  HotSwapTest() {
    sandbox::SimulationOptions nodes;
    nodes.nodes.plans = sandbox::plan_nodes("node", 3, 3);
    cluster_ = std::move(*LocalCluster::open({*clock_, *random_, Log(sink_)}, nodes));
    transport_ = std::make_unique<CountingTransport>(cluster_->transport());
    client_ = std::make_unique<RestClient>(cluster_->transport(), *clock_, metrics_, Log(sink_),
                                           RestOptions{.rate = {-1, 1}});
    RunOptions options;
    options.plugin_directories = {DAVIT_DEPLOYMENT_DIRECTORY, DAVIT_REPLICASET_DIRECTORY};
    options.controllers = {{"deployment-controller", "replicaset-controller"}};
    options.leader_elect = false;
    options.bind_address = "127.0.0.1";
    options.port = 0;
    options.qps = 10'000;
    options.burst = 10'000;
    options.controller_start_interval = Duration{0};
    const SettingsResult settled = settle(options);
    std::ostringstream mistakes;
    std::optional<HostPlan> plan = HostPlan::make(settled.settings, mistakes);
    EXPECT_TRUE(plan) << mistakes.str();
    host_ = std::make_unique<HostProcess>(
        settled.settings.manifest, ConnectionConfig{}, std::move(plan->controllers()),
        HostSeams{*clock_, *random_, sink_, transport_.get()}, [] {});
    const Status started = host_->start({});
    EXPECT_TRUE(started.ok()) << started.message();
  }
  ~HotSwapTest() override { EXPECT_TRUE(host_->stop()); }

  void send(Verb verb, std::string name, std::string body) {
    ApiRequest request;
    request.verb = verb;
    request.patch_type = PatchType::kStrategic;
    request.path = {"apps", "v1", "deployments", "", "default", std::move(name)};
    request.body = std::move(body);
    const ApiResponse response = client_->call(request);
    ASSERT_TRUE(response.status.ok()) << response.status.message();
  }

  /// Follows a collection, from its present content on, until `last` says that it has seen enough.
  void follow(ResourcePath path, const std::function<bool(const Json&)>& last) {
    ApiRequest request;
    request.verb = Verb::kWatch;
    request.path = std::move(path);
    WatchSplitter splitter;
    const Status ended = client_->stream(request, {}, [&](std::string_view chunk) {
      return splitter.feed(chunk, [&](WatchType, std::string_view object) {
        return last(sandbox::json_literal(object)) ? Status(Code::kCancelled, "seen") : Status();
      });
    });
    EXPECT_EQ(ended.message(), "seen");
  }
  void await_rollout() {
    follow({"apps", "v1", "deployments", "", "default", ""}, [](const Json& object) {
      const Json& status = object.get("status");
      return status.get("observedGeneration") == object.get("metadata").get("generation") &&
             status.get("replicas").integer_or(0) == kReplicas &&
             status.get("updatedReplicas").integer_or(0) == kReplicas &&
             status.get("availableReplicas").integer_or(0) == kReplicas;
    });
  }

  /// Swaps both plugins for themselves in turn, until `enough`; returns how often each.
  int swap_until(const std::atomic<bool>& enough) {
    int swaps = 0;
    while (!enough.load() || swaps < kSwaps) {
      for (const char* plugin : {"deployment", "replicaset"}) {
        const SwapReport report = host_->plugins().swap({plugin, ""});
        EXPECT_TRUE(report.ok()) << plugin << ": " << report.text;
        EXPECT_EQ(report.keys_dropped, 0U);
        EXPECT_EQ(report.resident, "") << plugin;
        if (!report.ok()) return swaps;
      }
      ++swaps;
    }
    return swaps;
  }

  std::unique_ptr<Clock> clock_ = make_system_clock();
  std::unique_ptr<Random> random_ = make_seeded_random(1);
  test::RecordingLogSink sink_;
  NoRestMetrics metrics_;
  std::unique_ptr<LocalCluster> cluster_;
  std::unique_ptr<CountingTransport> transport_;
  std::unique_ptr<RestClient> client_;
  std::unique_ptr<HostProcess> host_;
};

TEST_F(HotSwapTest, ARolloutUnderWayEndsRightWithNoPodTooMany) {
  send(Verb::kCreate, "",
       R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},
           "spec":{"replicas":)" +
           std::to_string(kReplicas) + R"(,"selector":{"matchLabels":{"app":"web"}},"template":{
           "metadata":{"labels":{"app":"web"}},
           "spec":{"containers":[{"name":"web","image":"web:1"}]}}}})");
  await_rollout();
  const int reads = transport_->reads();

  std::atomic<bool> rolled_out{false};
  int swaps = 0;
  std::jthread swapping([&] { swaps = swap_until(rolled_out); });
  send(Verb::kPatch, "web",
       R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}})");
  await_rollout();
  rolled_out.store(true);
  swapping.join();

  EXPECT_GE(swaps, kSwaps);
  EXPECT_EQ(transport_->reads(), reads) << "a swap lists and watches nothing";
  EXPECT_EQ(transport_->pods(), 2 * kReplicas) << "none too many, not even for a moment";
  ApiRequest request;
  request.raw_path = "/api/v1/namespaces/default/pods";
  int alive = 0;
  const Json pods = sandbox::json_literal(client_->call(request).body);
  for (const Json& pod : pods.get("items").items()) {
    if (pod.get("metadata").contains("deletionTimestamp")) continue;
    ++alive;
    EXPECT_EQ(pod.get("spec").get("containers").items()[0].text_at({"image"}), "web:2");
  }
  EXPECT_EQ(alive, kReplicas);
}

}  // namespace
}  // namespace davit::host
