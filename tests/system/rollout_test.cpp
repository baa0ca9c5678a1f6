// The host with its plugins on a cluster in the same process: no socket but the health server's.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <sstream>
#include <string>

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

/// A cluster, and davit at work on it.
class System {
 public:
  System() {
    sandbox::SimulationOptions nodes;
    nodes.nodes.plans = sandbox::plan_nodes("node", 3, 3);
    cluster_ = std::move(*LocalCluster::open({*clock_, *random_, Log(sink_)}, nodes));
    client_ = std::make_unique<RestClient>(cluster_->transport(), *clock_, metrics_, Log(sink_),
                                           RestOptions{.rate = {-1, 1}});
    RunOptions options;
    options.plugin_directories = {DAVIT_DEPLOYMENT_DIRECTORY, DAVIT_REPLICASET_DIRECTORY};
    options.controllers = {{"deployment-controller", "replicaset-controller"}};
    options.leader_elect = false;
    options.bind_address = "127.0.0.1";
    options.port = 0;
    options.controller_start_interval = Duration{0};
    const SettingsResult settled = settle(options);
    std::ostringstream mistakes;
    plan_ = HostPlan::make(settled.settings, mistakes);
    EXPECT_TRUE(plan_) << mistakes.str();
    host_ = std::make_unique<HostProcess>(
        settled.settings.manifest, ConnectionConfig{}, std::move(plan_->controllers()),
        HostSeams{*clock_, *random_, sink_, &cluster_->transport()}, [] {});
    const Status started = host_->start({});
    EXPECT_TRUE(started.ok()) << started.message();
  }
  ~System() { EXPECT_TRUE(host_->stop()); }
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  ApiResponse send(Verb verb, ResourcePath path, std::string body = "") {
    ApiRequest request;
    request.verb = verb;
    request.patch_type = PatchType::kStrategic;
    request.path = std::move(path);
    request.body = std::move(body);
    return client_->call(request);
  }

  Json read(const std::string& target) {
    ApiRequest request;
    request.raw_path = target;
    return sandbox::json_literal(client_->call(request).body);
  }

  /// Follows a collection until one of its objects is as wanted.
  void await(ResourcePath path, const std::function<bool(const Json&)>& wanted) {
    ApiRequest request;
    request.verb = Verb::kWatch;
    request.path = std::move(path);
    WatchSplitter splitter;
    const Status ended = client_->stream(request, {}, [&](std::string_view chunk) {
      return splitter.feed(chunk, [&](WatchType, std::string_view object) {
        return wanted(sandbox::json_literal(object)) ? Status(Code::kCancelled, "seen") : Status();
      });
    });
    EXPECT_EQ(ended.message(), "seen");
  }

 private:
  std::unique_ptr<Clock> clock_ = make_system_clock();
  std::unique_ptr<Random> random_ = make_seeded_random(1);
  test::RecordingLogSink sink_;
  NoRestMetrics metrics_;
  std::unique_ptr<LocalCluster> cluster_;
  std::unique_ptr<RestClient> client_;
  std::optional<HostPlan> plan_;
  std::unique_ptr<HostProcess> host_;
};

ResourcePath deployment(std::string name) {
  return {"apps", "v1", "deployments", "", "default", std::move(name)};
}

/// Whether the latest spec is rolled out to so many available pods.
std::function<bool(const Json&)> rolled_out(int replicas) {
  return [replicas](const Json& object) {
    const Json& status = object.get("status");
    return status.get("observedGeneration") == object.get("metadata").get("generation") &&
           status.get("replicas").integer_or(0) == replicas &&
           status.get("updatedReplicas").integer_or(0) == replicas &&
           status.get("availableReplicas").integer_or(0) == replicas;
  };
}

constexpr char kWeb[] = R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},
    "spec":{"replicas":5,"selector":{"matchLabels":{"app":"web"}},"template":{
      "metadata":{"labels":{"app":"web"}},
      "spec":{"containers":[{"name":"web","image":"web:1"}]}}}})";

TEST(RolloutTest, DeploymentRollsOutAndIsUpdated) {
  System system;
  const ApiResponse created = system.send(Verb::kCreate, deployment(""), kWeb);
  ASSERT_TRUE(created.status.ok()) << created.status.message();
  system.await(deployment(""), rolled_out(5));

  const ApiResponse updated = system.send(
      Verb::kPatch, deployment("web"),
      R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}})");
  ASSERT_TRUE(updated.status.ok()) << updated.status.message();
  system.await(deployment(""), rolled_out(5));

  const Json pods =
      system.read("/api/v1/namespaces/default/pods?fieldSelector=status.phase%3DRunning");
  int alive = 0;
  for (const Json& pod : pods.get("items").items()) {
    if (pod.get("metadata").contains("deletionTimestamp")) continue;
    ++alive;
    EXPECT_EQ(pod.get("spec").get("containers").items()[0].text_at({"image"}), "web:2");
  }
  EXPECT_EQ(alive, 5);
  EXPECT_EQ(system.read("/apis/apps/v1/namespaces/default/replicasets").get("items").size(), 2U);
}

}  // namespace
}  // namespace davit::host
