#include "tests/plugins/statefulset/fixture.hpp"

#include <algorithm>
#include <utility>

namespace davit::statefulset {

void StatefulSetTest::start(std::string_view config) {
  const Status started = cluster_.start(kController, &StatefulSetController::open, config);
  ASSERT_TRUE(started.ok()) << started.message();
  run();
}

std::string StatefulSetTest::add_set(int replicas, std::vector<std::string_view> patches) {
  Json set = Json::must(R"({"apiVersion":"apps/v1","kind":"StatefulSet",
      "metadata":{"name":"web","namespace":"ns"},
      "spec":{"serviceName":"svc","selector":{"matchLabels":{"app":"x"}},
              "template":{"metadata":{"labels":{"app":"x"}},
                          "spec":{"containers":[{"name":"c","image":"nginx:1"}]}}},
      "status":{"replicas":0}})");
  set["spec"]["replicas"] = std::int64_t{replicas};
  for (const std::string_view each : patches) testing::merge_patch(set, Json::must(each));
  cluster_.add(set);
  run();
  return cluster_.json<StatefulSet>({"ns", set.text_at({"metadata", "name"})})
      .text_at({"metadata", "uid"});
}

void StatefulSetTest::edit_set(std::string_view patch) {
  cluster_.merge<StatefulSet>({"ns", "web"}, patch);
  run();
}

void StatefulSetTest::scale(int replicas) {
  edit_set(R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}");
}

void StatefulSetTest::set_image(const std::string& image) {
  cluster_.modify<StatefulSet>({"ns", "web"}, [&](Json& set) {
    set["spec"]["template"]["spec"]["containers"].items().front()["image"] = image;
  });
  run();
}

void StatefulSetTest::add_pod(const std::string& name, std::string_view patch) {
  Json pod = Json::must(R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"namespace":"ns","labels":{"app":"x"}},
      "spec":{"containers":[{"name":"c","image":"nginx:1"}]},"status":{"phase":"Pending"}})");
  pod["metadata"]["name"] = name;
  testing::merge_patch(pod, Json::must(patch));
  cluster_.add(pod);
}

void StatefulSetTest::add_owned_pod(const std::string& name, const std::string& uid,
                                    std::string_view patch) {
  Json changes = Json::must(R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1",
      "kind":"StatefulSet","name":"web","uid":")" +
                            uid + R"(","controller":true}]}})");
  testing::merge_patch(changes, Json::must(patch));
  add_pod(name, changes.dump());
}

void StatefulSetTest::add_claim(const std::string& name, std::string_view patch) {
  Json claim = Json::must(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim",
      "metadata":{"namespace":"ns"},"spec":{"accessModes":["ReadWriteOnce"],
      "resources":{"requests":{"storage":"5Gi"}}},"status":{"phase":"Pending"}})");
  claim["metadata"]["name"] = name;
  testing::merge_patch(claim, Json::must(patch));
  cluster_.add(claim);
}

void StatefulSetTest::delete_set() {
  cluster_.remove<StatefulSet>({"ns", "web"});
  run();
}

void StatefulSetTest::make_ready(const std::string& pod) {
  const std::string since = format_time(cluster_.wall_now());
  cluster_.merge<Pod>({"ns", pod}, R"({"status":{"phase":"Running","conditions":[
      {"type":"Ready","status":"True","lastTransitionTime":")" +
                                       since + R"("}]}})");
  run();
}

void StatefulSetTest::make_unready(const std::string& pod) {
  cluster_.merge<Pod>({"ns", pod}, R"({"status":{"phase":"Running","conditions":[
      {"type":"Ready","status":"False"}]}})");
  run();
}

void StatefulSetTest::set_phase(const std::string& pod, std::string_view phase) {
  cluster_.merge<Pod>({"ns", pod}, R"({"status":{"phase":")" + std::string(phase) + R"("}})");
  run();
}

void StatefulSetTest::finish(const std::string& pod) {
  ASSERT_TRUE(cluster_.erase<Pod>({"ns", pod})) << pod;
  run();
}

void StatefulSetTest::add_ready_set(int replicas, std::vector<std::string_view> patches) {
  add_set(replicas, std::move(patches));
  make_all_ready();
}

void StatefulSetTest::make_all_ready() {
  constexpr int kStepsMax = 100;  // More than any test needs.
  bool changed = true;
  for (int i = 0; changed; ++i) {
    ASSERT_LT(i, kStepsMax) << "pods are replaced for ever";
    changed = false;
    for (const Pod& each : cluster_.all<Pod>()) {
      if (each.is_ready() || each.is_being_deleted()) continue;
      make_ready(std::string(each.name()));
      changed = true;
      break;
    }
  }
}

std::vector<std::string> StatefulSetTest::pod_names() {
  std::vector<std::string> names;
  for (const Pod& each : cluster_.all<Pod>()) names.emplace_back(each.name());
  return names;
}

std::vector<std::string> StatefulSetTest::claim_names() {
  std::vector<std::string> names;
  for (const auto& each : cluster_.all<PersistentVolumeClaim>()) names.emplace_back(each.name());
  return names;
}

std::vector<std::string> StatefulSetTest::revision_names() {
  std::vector<history::ControllerRevision> all = cluster_.all<history::ControllerRevision>();
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.revision() < b.revision(); });
  std::vector<std::string> names;
  for (const auto& each : all) names.emplace_back(each.name());
  return names;
}

bool StatefulSetTest::is_being_deleted(const std::string& pod) {
  const std::optional<Pod> found = cluster_.find<Pod>({"ns", pod});
  return found && found->is_being_deleted();
}

std::string StatefulSetTest::revision_of(const std::string& pod) const {
  return this->pod(pod).text_at({"metadata", "labels", kRevisionLabel});
}

std::vector<std::string> StatefulSetTest::owners_of(const std::string& claim) const {
  std::vector<std::string> owners;
  const Json object = this->claim(claim);
  const Json* references = object.at({"metadata", "ownerReferences"});
  if (references == nullptr) return owners;
  for (const Json& each : references->items()) {
    owners.push_back(each.text_at({"kind"}) + " " + each.text_at({"name"}) + " " +
                     each.text_at({"uid"}) +
                     (each.text_at({"controller"}) == "true" ? " controller" : ""));
  }
  return owners;
}

std::int64_t StatefulSetTest::status(std::string_view counter) const {
  const Json object = set();
  const Json* value = object.at({"status", counter});
  return value == nullptr ? -1 : value->integer().value_or(-1);
}

std::string StatefulSetTest::status_text(std::string_view member) const {
  return set().text_at({"status", member});
}

std::vector<std::string> StatefulSetTest::writes() const {
  std::vector<std::string> out;
  for (const testing::RequestRecord& each : cluster_.writes()) out.push_back(each.text());
  return out;
}

}  // namespace davit::statefulset
