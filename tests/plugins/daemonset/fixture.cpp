#include "tests/plugins/daemonset/fixture.hpp"

#include <algorithm>

#include "plugins/daemonset/node_pods.hpp"

namespace davit::daemonset {
namespace {

constexpr const char* kSets = "/apis/apps/v1/namespaces/ns/daemonsets";

}  // namespace

void DaemonSetTest::start_synced(std::string_view config) {
  const Status started = cluster_.start(kController, &DaemonSetController::open, config);
  ASSERT_TRUE(started.ok()) << started.message();
}

void DaemonSetTest::add_node(const std::string& name, std::string_view patch) {
  Json node = Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{},"spec":{}})");
  node["metadata"]["name"] = name;
  merge(node, patch);
  cluster_.add(std::move(node));
}

void DaemonSetTest::add_nodes(int count) {
  for (int i = 1; i <= count; ++i) add_node("n" + std::to_string(i));
}

void DaemonSetTest::edit_node(const std::string& name, std::string_view patch) {
  cluster_.merge<Node>({"", name}, patch);
  run_until_idle();
}

void DaemonSetTest::taint(const std::string& name, std::string_view key, std::string_view effect) {
  edit_node(name, R"({"spec":{"taints":[{"key":")" + std::string(key) + R"(","effect":")" +
                      std::string(effect) + R"("}]}})");
}

void DaemonSetTest::remove_node(const std::string& name) {
  ASSERT_TRUE(cluster_.erase<Node>({"", name}));
  run_until_idle();
}

std::string DaemonSetTest::add_set(std::string_view patch) {
  Json set = Json::must(R"({"apiVersion":"apps/v1","kind":"DaemonSet",
      "metadata":{"name":"ds","namespace":"ns"},
      "spec":{"selector":{"matchLabels":{"app":"web"}},
              "template":{"metadata":{"labels":{"app":"web"}},
                          "spec":{"containers":[{"name":"c","image":"nginx:1"}]}}}})");
  merge(set, patch);
  const std::string ns = set.text_at({"metadata", "namespace"});
  const Key key{ns, set.text_at({"metadata", "name"})};
  cluster_.add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + ns + R"("}})");
  send("POST", "/apis/apps/v1/namespaces/" + ns + "/daemonsets", set.dump());
  return cluster_.json<DaemonSet>(key).text_at({"metadata", "uid"});
}

void DaemonSetTest::edit_set(std::string_view patch) {
  patch_set(patch);
  run_until_idle();
}

void DaemonSetTest::patch_set(std::string_view patch) {
  send("PATCH", std::string(kSets) + "/ds", std::string(patch));
}

void DaemonSetTest::set_image(std::string_view image) {
  edit_set(R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":")" +
           std::string(image) + R"("}]}}}})");
}

std::string DaemonSetTest::rolling(std::string_view max_unavailable, std::string_view max_surge) {
  return R"({"spec":{"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":)" +
         std::string(max_unavailable) + R"(,"maxSurge":)" + std::string(max_surge) + "}}}}";
}

void DaemonSetTest::touch_set() {
  edit_set(R"({"metadata":{"labels":{"touch":"t)" + std::to_string(++touches_) + R"("}}})");
}

void DaemonSetTest::add_pod(const std::string& name, const std::string& node,
                            std::string_view patch) {
  Json pod = Json::must(R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"namespace":"ns","labels":{"app":"web"}},
      "spec":{"containers":[{"name":"c","image":"nginx:0"}]},
      "status":{"phase":"Running"}})");
  pod["metadata"]["name"] = name;
  pod["metadata"]["creationTimestamp"] = format_time(now() - std::chrono::hours(24));
  if (!node.empty()) pod["spec"]["nodeName"] = node;
  merge(pod, patch);
  cluster_.add(std::move(pod));
}

void DaemonSetTest::add_own_pod(const std::string& name, const std::string& node,
                                std::string_view patch) {
  Json owned =
      Json::must(R"({"metadata":{"labels":{"controller-revision-hash":"earlier",
      "pod-template-generation":"0"},"ownerReferences":[)" +
                 controller("DaemonSet", "ds", set().text_at({"metadata", "uid"})) + "]}}");
  merge(owned, patch);
  add_pod(name, node, owned.dump());
}

void DaemonSetTest::edit_pod(const std::string& name, std::string_view patch) {
  cluster_.merge<Pod>({"ns", name}, patch);
  run_until_idle();
}

std::size_t DaemonSetTest::edit_pods(
    const std::function<std::optional<std::string>(const Pod&)>& patch_of) {
  std::size_t changed = 0;
  for (const Pod& each : cluster_.all<Pod>()) {
    if (each.is_being_deleted() || each.is_finished()) continue;
    const std::optional<std::string> patch = patch_of(each);
    if (!patch) continue;
    cluster_.merge<Pod>(each.key(), *patch);
    ++changed;
  }
  run_until_idle();
  return changed;
}

void DaemonSetTest::bind_pods() {
  edit_pods([](const Pod& each) -> std::optional<std::string> {
    if (!each.node_name().empty() && each.phase() == "Running") return std::nullopt;
    return R"({"spec":{"nodeName":")" + std::string(target_node(each)) +
           R"("},"status":{"phase":"Running"}})";
  });
}

void DaemonSetTest::start_pods() {
  bind_pods();
  const std::string ready =
      R"({"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":")" +
      format_time(now()) + R"("}]}})";
  edit_pods(
      [&ready](const Pod& each) { return each.is_ready() ? std::nullopt : std::optional(ready); });
}

void DaemonSetTest::make_ready(const std::string& pod) {
  edit_pod(pod,
           R"({"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":")" +
               format_time(now()) + R"("}]}})");
}

std::size_t DaemonSetTest::let_go() {
  const std::vector<std::string> going = terminating();
  for (const std::string& each : going) cluster_.erase<Pod>({"ns", each});
  run_until_idle();
  return going.size();
}

void DaemonSetTest::finish_rollout() {
  constexpr int kRoundsMax = 50;  // More than any test has pods.
  for (int i = 0; i < kRoundsMax; ++i) {
    const std::size_t before = created() + deleted();
    start_pods();
    let_go();
    if (created() + deleted() == before && terminating().empty()) return;
  }
  FAIL() << "the rollout does not end";
}

std::vector<std::string> DaemonSetTest::pod_names() {
  std::vector<std::string> names;
  for (const Pod& each : cluster_.all<Pod>()) names.emplace_back(each.name());
  return names;
}

std::vector<std::string> DaemonSetTest::pods_on(std::string_view node) {
  std::vector<std::string> names;
  for (const Pod& each : cluster_.all<Pod>()) {
    if (target_node(each) == node) names.emplace_back(each.name());
  }
  return names;
}

std::vector<std::string> DaemonSetTest::staying_on(std::string_view node) {
  std::vector<std::string> names;
  for (const Pod& each : cluster_.all<Pod>()) {
    if (target_node(each) == node && !each.is_being_deleted()) names.emplace_back(each.name());
  }
  return names;
}

std::string DaemonSetTest::pod_on(std::string_view node) {
  const std::vector<std::string> names = staying_on(node);
  EXPECT_EQ(names.size(), 1U) << node;
  return names.empty() ? std::string() : names.front();
}

std::vector<std::string> DaemonSetTest::nodes_with_pods() {
  std::vector<std::string> nodes;
  for (const Pod& each : cluster_.all<Pod>()) {
    if (!each.is_being_deleted()) nodes.emplace_back(target_node(each));
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<std::string> DaemonSetTest::terminating() {
  std::vector<std::string> names;
  for (const Pod& each : cluster_.all<Pod>()) {
    if (each.is_being_deleted()) names.emplace_back(each.name());
  }
  return names;
}

std::string DaemonSetTest::image_of(const std::string& pod_name) const {
  const Json object = pod(pod_name);
  return object.at({"spec", "containers"})->items().front().text_at({"image"});
}

std::string DaemonSetTest::hash_of(const std::string& pod_name) const {
  return pod(pod_name).text_at({"metadata", "labels", "controller-revision-hash"});
}

std::string DaemonSetTest::controller_uid(const Json& object) {
  const Json* owners = object.at({"metadata", "ownerReferences"});
  if (owners == nullptr) return {};
  for (const Json& each : owners->items()) {
    if (each.text_at({"controller"}) == "true") return each.text_at({"uid"});
  }
  return {};
}

std::int64_t DaemonSetTest::status(std::string_view counter, const std::string& name) const {
  const Json object = set(name);
  const Json* value = object.at({"status", counter});
  return value == nullptr ? 0 : value->integer().value_or(-1);
}

std::vector<std::int64_t> DaemonSetTest::counters(const std::string& name) const {
  std::vector<std::int64_t> out;
  for (const char* each :
       {"desiredNumberScheduled", "currentNumberScheduled", "numberMisscheduled", "numberReady",
        "updatedNumberScheduled", "numberAvailable", "numberUnavailable"}) {
    out.push_back(status(each, name));
  }
  return out;
}

std::vector<Json> DaemonSetTest::revisions() {
  std::vector<Json> out;
  for (const ControllerRevision& each : cluster_.all<ControllerRevision>()) {
    out.push_back(cluster_.json<ControllerRevision>(each.key()));
  }
  std::stable_sort(out.begin(), out.end(), [](const Json& a, const Json& b) {
    return a.find("revision")->integer() < b.find("revision")->integer();
  });
  return out;
}

std::vector<std::string> DaemonSetTest::revision_names() {
  std::vector<std::string> names;
  for (const Json& each : revisions()) {
    names.push_back(each.text_at({"revision"}) + " " + each.text_at({"metadata", "name"}));
  }
  return names;
}

std::size_t DaemonSetTest::events_of(std::string_view reason) const {
  const auto& all = cluster_.events();
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [reason](const auto& each) { return each.reason == reason; }));
}

void DaemonSetTest::refuse_pods(testing::Verb verb, int allowed, const std::string& message) {
  cluster_.fail_next({.verb = verb,
                      .resource = "pods",
                      .http_status = 403,
                      .message = message,
                      .times = testing::Fault::kAlways,
                      .skip = allowed});
}

std::string DaemonSetTest::controller(std::string_view kind, std::string_view name,
                                      std::string_view uid) {
  return R"({"apiVersion":"apps/v1","kind":")" + std::string(kind) + R"(","name":")" +
         std::string(name) + R"(","uid":")" + std::string(uid) + R"(","controller":true})";
}

void DaemonSetTest::send(const std::string& method, const std::string& target,
                         const std::string& body) {
  const testing::RawReply reply = cluster_.exchange(
      {.method = method,
       .target = target,
       .headers = {{"Content-Type",
                    method == "PATCH" ? "application/merge-patch+json" : "application/json"}},
       .body = body});
  ASSERT_LT(reply.http_status, 300) << reply.body;
}

}  // namespace davit::daemonset
