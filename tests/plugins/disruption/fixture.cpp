#include "tests/plugins/disruption/fixture.hpp"

namespace davit::disruption {

void DisruptionTest::start() {
  const Status started = cluster_.start(kController, &make_without_options<DisruptionController>);
  ASSERT_TRUE(started.ok()) << started.message();
  run();
}

void DisruptionTest::budget(std::string_view bound, const std::string& name,
                            std::string_view selector) {
  std::string spec(bound);
  if (!selector.empty()) {
    if (!spec.empty()) spec += ',';
    spec.append("\"selector\":").append(selector);
  }
  const Json wanted = Json::must("{" + spec + "}");
  if (cluster_.find<PodDisruptionBudget>({"default", name})) {
    cluster_.modify<PodDisruptionBudget>({"default", name},
                                         [&wanted](Json& object) { object["spec"] = wanted; });
  } else {
    cluster_.add(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":")" +
                 name + R"(","namespace":"default"},"spec":)" + wanted.dump() + "}");
  }
  run();
}

PodBuilder DisruptionTest::ready_pod(const std::string& name) const {
  return PodBuilder(name).label("app", "x").generation(1).ready(cluster_.wall_now());
}

void DisruptionTest::ready_pods(const std::string& name, int count) {
  for (int i = 0; i < count; ++i) cluster_.add(ready_pod(name + "-" + std::to_string(i)));
}

void DisruptionTest::pod_of(const std::string& api_version, const std::string& kind,
                            const std::string& name) {
  cluster_.add(ready_pod(name).controlled_by(api_version, kind, "owner", "uid-of-owner"));
}

ReplicaSet DisruptionTest::replica_set(const std::string& name, std::int64_t replicas) {
  cluster_.add(testing::ReplicaSetBuilder(name).replicas(replicas));
  return *cluster_.find<ReplicaSet>({"default", name});
}

void DisruptionTest::define_widgets(std::string_view subresources) {
  const testing::RawReply reply =
      send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
           R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"widgets.example.com"},
          "spec":{"group":"example.com","scope":"Namespaced",
                  "names":{"plural":"widgets","kind":"Widget"},
                  "versions":[{"name":"v1","served":true,"storage":true,"subresources":)" +
               std::string(subresources) +
               R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{
              "spec":{"type":"object","properties":{"replicas":{"type":"integer"}}},
              "status":{"type":"object","properties":{"replicas":{"type":"integer"}}}}}}}]}})");
  ASSERT_EQ(reply.http_status, 201) << reply.body;
  run();
}

std::string DisruptionTest::create_widget(int replicas) {
  const testing::RawReply reply =
      send("POST", "/apis/example.com/v1/namespaces/default/widgets",
           R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},
               "spec":{"replicas":)" +
               std::to_string(replicas) + "}}");
  EXPECT_EQ(reply.http_status, 201) << reply.body;
  return Json::must(reply.body).text_at({"metadata", "uid"});
}

void DisruptionTest::widget_pods(int count, const std::string& uid) {
  for (int i = 0; i < count; ++i) {
    cluster_.add(
        ready_pod("p-" + std::to_string(i)).controlled_by("example.com/v1", "Widget", "w", uid));
  }
}

void DisruptionTest::touch(const std::string& pod) {
  cluster_.merge<Pod>({"default", pod}, R"({"metadata":{"annotations":{"touched":"yes"}}})");
  run();
}

testing::RawReply DisruptionTest::send(const std::string& method, const std::string& target,
                                       const std::string& body, const std::string& type) const {
  return cluster_.exchange({method, target, {{"Content-Type", type}}, body});
}

testing::RawReply DisruptionTest::evict(const std::string& pod) const {
  return send(
      "POST", "/api/v1/namespaces/default/pods/" + pod + "/eviction",
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" + pod + R"("}})");
}

std::string DisruptionTest::numbers(const std::string& name) const {
  const Json object = read(name);
  std::string out;
  for (const char* each :
       {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"}) {
    out += (out.empty() ? "" : " ") + object.text_at({"status", each});
  }
  return out;
}

Json DisruptionTest::condition(const std::string& name) const {
  const Json object = read(name);
  if (const Json* conditions = object.at({"status", "conditions"})) {
    for (const Json& each : conditions->items()) {
      if (each.text_at({"type"}) == "DisruptionAllowed") return each;
    }
  }
  return Json();
}

std::string DisruptionTest::condition_text(const std::string& name) const {
  const Json found = condition(name);
  std::string out = found.text_at({"status"}) + " " + found.text_at({"reason"});
  const std::string message = found.text_at({"message"});
  return message.empty() ? out : out + " " + message;
}

std::vector<std::string> DisruptionTest::disrupted() const {
  const Json object = read();
  const Json* pods = object.at({"status", "disruptedPods"});
  return pods == nullptr ? std::vector<std::string>() : pods->keys();
}

std::vector<std::string> DisruptionTest::requests() const {
  std::vector<std::string> out;
  for (const testing::RequestRecord& each : cluster_.requests()) out.push_back(each.text());
  return out;
}

std::vector<std::string> DisruptionTest::writes() const {
  std::vector<std::string> out;
  for (const testing::RequestRecord& each : cluster_.writes()) out.push_back(each.text());
  return out;
}

}  // namespace davit::disruption
