#include "tests/system/whole_host.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "cli/options.hpp"
#include "host/process/host_plan.hpp"

namespace davit::host {

const char* const kSecondImage =
    R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}})";

WholeHost::WholeHost(int nodes) {
  sandbox::SimulationOptions simulation;
  if (nodes > 0) simulation.nodes.plans = sandbox::plan_nodes("node", nodes, 3);
  cluster_ = std::move(*LocalCluster::open({*clock_, *random_, Logger(sink_)}, simulation));
  client_ = std::make_unique<RestClient>(cluster_->transport(), *clock_, metrics_, Logger(sink_),
                                         RestOptions{.rate = {-1, 1}});
}

WholeHost::~WholeHost() { stop(); }

void WholeHost::stop() {
  EXPECT_TRUE(!host_ || host_->stop());
  host_.reset();
}

void WholeHost::start(const WholeHostOptions& options, Transport* way) {
  RunOptions run;
  run.manifest = options.manifest;
  run.plugin_directories = options.directories;
  run.controllers = options.controllers;
  if (options.election == WholeHostOptions::Election::kOff) run.leader_elect = false;
  run.port = 0;
  run.qps = 10'000;
  run.burst = 10'000;
  run.controller_start_interval = Duration{0};
  const SettingsResult merged = merge_settings(run);
  std::ostringstream mistakes;
  std::optional<HostPlan> plan = HostPlan::make(merged.settings, mistakes);
  ASSERT_TRUE(plan) << mistakes.str();
  Result<std::unique_ptr<HostProcess>> opened = HostProcess::open(
      merged.settings.manifest, ConnectionConfig{}, std::move(plan->controllers()),
      HostSeams{.clock = *clock_,
                .random = *random_,
                .log_sink = sink_,
                .transport = way != nullptr ? way : &transport(),
                .tracing = options.tracing},
      [] {});
  ASSERT_TRUE(opened) << opened.error().message();
  host_ = std::move(*opened);
  const Status started = host_->start({});
  ASSERT_TRUE(started.ok()) << started.message();
}

Json WholeHost::send(Verb verb, ResourcePath path, const std::string& body) {
  ApiRequest request;
  request.verb = verb;
  request.path = std::move(path);
  request.body = body;
  request.patch_type = PatchType::kMerge;
  const ApiResponse response = client_->call(request);
  EXPECT_TRUE(response.status.ok()) << response.status.message();
  return response.body.empty() ? Json() : json_literal(response.body);
}

Json WholeHost::read(const std::string& target) {
  ApiRequest request;
  request.raw_path = target;
  return json_literal(client_->call(request).body);
}

Json WholeHost::await(ResourcePath path, const Done& done, const std::string& since) {
  ApiRequest request;
  if (!since.empty()) request.query = "resourceVersion=" + since;
  request.verb = Verb::kWatch;
  request.path = std::move(path);
  WatchSplitter splitter;
  Json found;
  const Status ended = client_->stream(request, {}, [&](std::string_view chunk) {
    return splitter.feed(chunk, [&](WatchType type, std::string_view object) {
      Json each = json_literal(object);
      if (!done(type, each)) return Status();
      found = std::move(each);
      return Status(Code::kCancelled, "seen");
    });
  });
  EXPECT_EQ(ended.message(), "seen");
  return found;
}

ShadowReport WholeHost::await_shadow(const std::string& plugin) {
  for (;;) {
    ShadowReport report = host_->plugins().shadows().compare(plugin);
    if (!report.ok() || report.difference.shadow.syncs > 0) return report;
    std::this_thread::yield();
  }
}

ResourcePath deployment(std::string name) {
  return {"apps", "v1", "deployments", "", "default", std::move(name)};
}

std::string web_deployment(int replicas) {
  return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},
      "spec":{"replicas":)" +
         std::to_string(replicas) + R"(,"selector":{"matchLabels":{"app":"web"}},"template":{
      "metadata":{"labels":{"app":"web"}},
      "spec":{"containers":[{"name":"web","image":"web:1"}]}}}})";
}

WholeHost::Done rolled_out(int replicas) {
  return [replicas](WatchType, const Json& object) {
    const Json& status = object.get("status");
    return status.get("observedGeneration") == object.get("metadata").get("generation") &&
           status.get("replicas").integer_or(0) == replicas &&
           status.get("updatedReplicas").integer_or(0) == replicas &&
           status.get("availableReplicas").integer_or(0) == replicas;
  };
}

void expect_second_image(WholeHost& system, int pods) {
  int alive = 0;
  const Json list = system.read("/api/v1/namespaces/default/pods");
  for (const Json& pod : list.get("items").items()) {
    if (pod.get("metadata").contains("deletionTimestamp")) continue;
    ++alive;
    EXPECT_EQ(pod.get("spec").get("containers").items()[0].text_at({"image"}), "web:2");
  }
  EXPECT_EQ(alive, pods);
}

}  // namespace davit::host
