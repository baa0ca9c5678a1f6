#include "tests/plugins/replicaset/fixture.hpp"

namespace davit::replicas {

std::string ReplicaSetTest::add_set(std::string_view patch) {
  Json set = Json::must(R"({"apiVersion":"apps/v1","kind":"ReplicaSet",
      "metadata":{"name":"rs","namespace":"ns"},
      "spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}},
              "template":{"metadata":{"labels":{"app":"web"}},
                          "spec":{"containers":[{"name":"c","image":"nginx"}]}}},
      "status":{"replicas":0}})");
  merge(set, patch);
  const Key key{text(set, {"metadata", "namespace"}), text(set, {"metadata", "name"})};
  cluster_.add(std::move(set));
  return text(cluster_.json<ReplicaSet>(key), {"metadata", "uid"});
}

void ReplicaSetTest::add_pod(const std::string& name, std::string_view patch) {
  Json pod = Json::must(R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"namespace":"ns","labels":{"app":"web"}},
      "spec":{"containers":[{"name":"c","image":"nginx"}]},
      "status":{"phase":"Running"}})");
  pod["metadata"]["name"] = name;
  pod["metadata"]["creationTimestamp"] = format_time(now() - std::chrono::hours(24));
  merge(pod, patch);
  cluster_.add(std::move(pod));
}

std::vector<std::string> ReplicaSetTest::pod_names() {
  std::vector<std::string> names;
  for (const Pod& each : cluster_.all<Pod>()) {
    if (each.ns() == "ns") names.emplace_back(each.name());
  }
  return names;
}

std::vector<Json> ReplicaSetTest::pods() {
  std::vector<Json> pods;
  for (const std::string& name : pod_names()) pods.push_back(pod(name));
  return pods;
}

std::string ReplicaSetTest::controller_uid(const Json& pod) {
  const Json* owners = pod.at({"metadata", "ownerReferences"});
  if (owners == nullptr) return {};
  for (const Json& each : owners->items()) {
    if (text(each, {"controller"}) == "true") return text(each, {"uid"});
  }
  return {};
}

std::optional<std::int64_t> ReplicaSetTest::status(std::string_view counter,
                                                   const std::string& name) const {
  const Json object = set(name);
  const Json* value = object.at({"status", counter});
  return value == nullptr ? std::nullopt : value->integer();
}

std::vector<Json> ReplicaSetTest::conditions() const {
  const Json object = set();
  const Json* conditions = object.at({"status", "conditions"});
  return conditions == nullptr ? std::vector<Json>() : conditions->items();
}

}  // namespace davit::replicas
