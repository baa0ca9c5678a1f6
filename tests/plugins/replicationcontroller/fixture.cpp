#include "tests/plugins/replicationcontroller/fixture.hpp"

#include <utility>

namespace davit::replicas {

void ReplicationControllerTest::start(std::string_view config) {
  const Status started =
      cluster_.start(kController, &ReplicationControllerController::open, config);
  ASSERT_TRUE(started.ok()) << started.message();
  cluster_.run_until_idle();
}

std::string ReplicationControllerTest::add_rc(int replicas, std::string_view patch) {
  Json rc = Json::must(R"({"apiVersion":"v1","kind":"ReplicationController",
      "metadata":{"name":"rc","namespace":"ns"},
      "spec":{"selector":{"a":"1"},"template":{"metadata":{"labels":{"a":"1"}},
              "spec":{"containers":[{"name":"c","image":"nginx"}]}}},
      "status":{"replicas":0}})");
  rc["spec"]["replicas"] = std::int64_t{replicas};
  testing::merge_patch(rc, Json::must(patch));
  cluster_.add(rc);
  cluster_.run_until_idle();
  return this->rc().text_at({"metadata", "uid"});
}

void ReplicationControllerTest::edit_rc(std::string_view patch) {
  cluster_.merge<ReplicationController>({"ns", "rc"}, patch);
  cluster_.run_until_idle();
}

void ReplicationControllerTest::add_pod(const std::string& name, std::string_view patch) {
  Json pod = Json::must(R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"namespace":"ns","labels":{"a":"1"}},
      "spec":{"containers":[{"name":"c","image":"nginx"}]},"status":{"phase":"Running"}})");
  pod["metadata"]["name"] = name;
  pod["metadata"]["creationTimestamp"] = format_time(cluster_.wall_now() - 24h);
  testing::merge_patch(pod, Json::must(patch));
  cluster_.add(pod);
}

void ReplicationControllerTest::add_owned_pod(const std::string& name, const std::string& uid,
                                              std::string_view patch) {
  Json changes = Json::must(R"({"metadata":{"ownerReferences":[{"apiVersion":"v1",
      "kind":"ReplicationController","name":"rc","uid":")" +
                            uid + R"(","controller":true}]}})");
  testing::merge_patch(changes, Json::must(patch));
  add_pod(name, changes.dump());
}

std::vector<std::string> ReplicationControllerTest::pod_names() {
  std::vector<std::string> names;
  for (const Pod& each : cluster_.all<Pod>()) {
    if (each.ns() == "ns" && !each.is_being_deleted()) names.emplace_back(each.name());
  }
  return names;
}

std::string ReplicationControllerTest::controller_uid(const Json& pod) {
  const Json* owners = pod.at({"metadata", "ownerReferences"});
  if (owners == nullptr) return {};
  for (const Json& each : owners->items()) {
    if (each.text_at({"controller"}) == "true") return each.text_at({"uid"});
  }
  return {};
}

std::optional<std::int64_t> ReplicationControllerTest::status(std::string_view counter) const {
  const Json object = rc();
  const Json* value = object.at({"status", counter});
  return value == nullptr ? std::nullopt : value->integer();
}

std::string ReplicationControllerTest::failure() const {
  const Json object = rc();
  const Json* conditions = object.at({"status", "conditions"});
  if (conditions == nullptr) return {};
  for (const Json& each : conditions->items()) {
    if (each.text_at({"type"}) != "ReplicaFailure") continue;
    return each.text_at({"status"}) + " " + each.text_at({"reason"});
  }
  return {};
}

}  // namespace davit::replicas
