#include "tests/plugins/nodelifecycle/node_fixture.hpp"

#include <algorithm>
#include <chrono>

#include "plugins/nodelifecycle/node_lifecycle_controller.hpp"

namespace davit::nodelifecycle {

namespace {

constexpr const char* kName = "node-lifecycle-controller";

}  // namespace

void NodeTest::start(std::string_view more_config) {
  Json config = Json::must(R"({"nodeMonitorPeriod":"1s","nodeMonitorGracePeriod":"6s",
      "nodeStartupGracePeriod":"8s","nodeEvictionRate":100})");
  if (!more_config.empty()) testing::merge_patch(config, Json::must(more_config));
  const Status started = cluster().start(kName, &NodeLifecycleController::open, config.canonical());
  ASSERT_TRUE(started.ok()) << started.message();
  run_until_idle();
}

void NodeTest::restart(std::string_view more_config) {
  cluster().stop(kName);
  start(more_config);
}

void NodeTest::live(int seconds) {
  for (int i = 0; i < seconds; ++i) live_for(std::chrono::seconds(1));
}

void NodeTest::live_for(Duration step) {
  for (const std::string& each : alive_) renew(each);
  advance(step);
}

void NodeTest::add_ready(const std::string& name, std::string_view patch) {
  Json node = Json::must(R"({"metadata":{},"status":{"conditions":[
      {"type":"Ready","status":"True","reason":"KubeletReady","message":"ok"}]}})");
  Json& ready = node["status"]["conditions"].items().front();
  ready["lastHeartbeatTime"] = format_time(now());
  ready["lastTransitionTime"] = format_time(now());
  testing::merge_patch(node, Json::must(patch));
  add_node(name, node.canonical());
  alive_.insert(name);
  renew(name);
}

void NodeTest::add_in_zone(const std::string& name, const std::string& zone) {
  add_ready(name, R"({"metadata":{"labels":{"topology.kubernetes.io/zone":")" + zone + R"("}}})");
}

void NodeTest::revive(const std::string& name, std::string_view ready) {
  alive_.insert(name);
  set_condition(name, "Ready", ready);
}

void NodeTest::renew(const std::string& name) {
  Json lease = Json::must(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
      "metadata":{"namespace":"kube-node-lease"},"spec":{}})");
  lease["metadata"]["name"] = name;
  lease["spec"]["renewTime"] = format_time(now());
  cluster().add(std::move(lease));
}

void NodeTest::set_condition(const std::string& name, std::string_view type,
                             std::string_view status) {
  cluster().modify<Node>({"", name}, [&](Json& node) {
    Json& conditions = node["status"]["conditions"];
    if (!conditions.is_array()) conditions = Json::array();
    auto& all = conditions.items();
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const Json& each) { return each.text_at({"type"}) == type; });
    if (found == all.end()) found = all.insert(all.end(), Json::object());
    (*found)["type"] = type;
    (*found)["status"] = status;
    (*found)["lastHeartbeatTime"] = format_time(now());
    (*found)["lastTransitionTime"] = format_time(now());
  });
  run_until_idle();
}

void NodeTest::add_ready_pod(const std::string& name, const std::string& node) {
  add_pod(name, "",
          R"({"spec":{"nodeName":")" + node +
              R"("},"status":{"conditions":[{"type":"Ready","status":"True","reason":"R",
              "message":"M","lastTransitionTime":"2024-01-01T00:00:00Z"}]}})");
}

bool NodeTest::has(const std::string& node, std::string_view key, std::string_view effect) const {
  const Json object = this->node(node);
  const Json* taints = object.at({"spec", "taints"});
  if (taints == nullptr) return false;
  return std::any_of(taints->items().begin(), taints->items().end(), [&](const Json& each) {
    return each.text_at({"key"}) == key && each.text_at({"effect"}) == effect;
  });
}

std::string NodeTest::time_added(const std::string& node, std::string_view key) const {
  const Json object = this->node(node);
  if (const Json* taints = object.at({"spec", "taints"})) {
    for (const Json& each : taints->items()) {
      if (each.text_at({"key"}) == key && each.text_at({"effect"}) == kNoExecute) {
        return each.text_at({"timeAdded"});
      }
    }
  }
  return {};
}

int NodeTest::count_events(std::string_view text) const {
  const std::vector<std::string> all = events();
  return static_cast<int>(std::count(all.begin(), all.end(), text));
}

}  // namespace davit::nodelifecycle
