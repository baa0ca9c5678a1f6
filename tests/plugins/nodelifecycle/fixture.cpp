#include "tests/plugins/nodelifecycle/fixture.hpp"

#include <utility>

#include "plugins/nodelifecycle/taint_eviction_controller.hpp"

namespace davit::nodelifecycle {

namespace {

constexpr const char* kEviction = "taint-eviction-controller";

}  // namespace

void ClusterTest::start_eviction() {
  const Status started = cluster_.start(kEviction, &make_without_options<TaintEvictionController>);
  ASSERT_TRUE(started.ok()) << started.message();
  run_until_idle();
}

void ClusterTest::restart_eviction() {
  cluster_.stop(kEviction);
  start_eviction();
}

void ClusterTest::add_node(const std::string& name, std::string_view patch) {
  Json node = Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{},"spec":{}})");
  node["metadata"]["name"] = name;
  testing::merge_patch(node, Json::must(patch));
  cluster_.add(std::move(node));
}

void ClusterTest::edit_node(const std::string& name, std::string_view patch) {
  cluster_.merge<Node>({"", name}, patch);
}

void ClusterTest::taint(std::string_view taints, const std::string& name) {
  edit_node(name, R"({"spec":{"taints":[)" + std::string(taints) + "]}}");
  run_until_idle();
}

void ClusterTest::add_pod(const std::string& name, std::string_view tolerations,
                          std::string_view patch) {
  Json pod = Json::must(R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"namespace":"ns","generation":1},
      "spec":{"nodeName":"n1","containers":[{"name":"c","image":"nginx"}]},
      "status":{"phase":"Running"}})");
  pod["metadata"]["name"] = name;
  pod["spec"]["tolerations"] = Json::must("[" + std::string(tolerations) + "]");
  testing::merge_patch(pod, Json::must(patch));
  cluster_.add(std::move(pod));
}

void ClusterTest::edit_pod(const std::string& name, std::string_view patch) {
  cluster_.merge<Pod>({"ns", name}, patch);
  run_until_idle();
}

void ClusterTest::tolerate(const std::string& name, std::string_view tolerations) {
  edit_pod(name, R"({"spec":{"tolerations":[)" + std::string(tolerations) + "]}}");
}

Json ClusterTest::node(const std::string& name) const { return cluster_.json<Node>({"", name}); }

Json ClusterTest::pod(const std::string& name) const { return cluster_.json<Pod>({"ns", name}); }

bool ClusterTest::is_evicted(const std::string& name) const {
  return pod(name).at({"metadata", "deletionTimestamp"}) != nullptr;
}

Json ClusterTest::condition(const Json& object, std::string_view type) {
  if (const Json* conditions = object.at({"status", "conditions"})) {
    for (const Json& each : conditions->items()) {
      if (each.text_at({"type"}) == type) return each;
    }
  }
  return Json();
}

std::string ClusterTest::tolerates_x(std::string_view seconds) {
  return tolerates("example.com/x", seconds);
}

std::string ClusterTest::tolerates(std::string_view key, std::string_view seconds) {
  std::string out = R"({"key":")" + std::string(key) + R"(","operator":"Exists")";
  if (!seconds.empty()) out += R"(,"tolerationSeconds":)" + std::string(seconds);
  return out + "}";
}

}  // namespace davit::nodelifecycle
