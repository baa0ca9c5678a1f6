#include "tests/plugins/deployment/world.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tests/plugins/deployment/plugin_under_test.hpp"

namespace davit::deployment {
namespace {

using testing::Json;

std::string image_of(const ReplicaSet& set) {
  return std::string(set.pod_template()[&Names::spec][&Names::containers].at(0)["image"].string());
}

Json pod_template(std::string_view image) {
  Json json = Json::must(R"({
    "metadata": {"labels": {"app": "d"}},
    "spec": {"containers": [{"name": "main", "resources": {}, "imagePullPolicy": "IfNotPresent",
      "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}],
      "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
      "securityContext": {}, "schedulerName": "default-scheduler"}})");
  json["spec"]["containers"].items()[0]["image"] = Json(image);
  return json;
}

}  // namespace

World::World(std::string_view config) : config_(config), cluster_({.note = declared_note()}) {}

void World::start() {
  if (std::exchange(started_, true)) return;
  if (!cluster_.start("deployment-controller", controller_init(), config_).ok()) std::abort();
}

Json World::blueprint(std::int64_t replicas, std::string_view image) {
  Json json = Json::must(R"({"apiVersion": "apps/v1", "kind": "Deployment",
    "metadata": {"namespace": "default", "name": "d", "labels": {"app": "d"}},
    "spec": {"selector": {"matchLabels": {"app": "d"}},
      "strategy": {"type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
      "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600},
    "status": {}})");
  json["spec"]["replicas"] = Json(replicas);
  json["spec"]["template"] = pod_template(image);
  return json;
}

void World::set_image(std::string_view image) {
  edit([&](Json& d) {
    d["spec"]["template"]["spec"]["containers"].items()[0]["image"] = Json(image);
  });
}

void World::scale(std::int64_t replicas) {
  edit([&](Json& d) { d["spec"]["replicas"] = Json(replicas); });
}

std::string World::condition(std::string_view type) {
  const auto found = deployment().condition(type);
  if (!found) return "";
  return std::string(found->status()).append("/").append(found->reason());
}

void World::seed(const SeedSet& seed) {
  Json json = Json::must(R"({"apiVersion": "apps/v1", "kind": "ReplicaSet",
    "metadata": {"namespace": "default"}, "spec": {}, "status": {"observedGeneration": 1}})");
  Json& metadata = json["metadata"];
  metadata["name"] = Json(seed.name);
  metadata["annotations"] = Json::must(seed.annotations);
  metadata["labels"]["app"] = "d";
  metadata["labels"]["pod-template-hash"] = Json(seed.hash);
  if (const auto owner = cluster_.find<Deployment>(kDeployment)) {
    JsonWriter references;
    references.begin_array();
    owner_identity(*owner).write_controller_reference(references);
    metadata["ownerReferences"] = Json::must(references.end_array().text());
  }
  json["spec"]["replicas"] = Json(seed.replicas);
  json["spec"]["selector"]["matchLabels"] = metadata["labels"];
  json["spec"]["template"] = pod_template(seed.image);
  json["spec"]["template"]["metadata"]["labels"] = metadata["labels"];
  for (const char* count : {"replicas", "fullyLabeledReplicas"}) {
    json["status"][count] = Json(seed.replicas);
  }
  for (const char* count : {"readyReplicas", "availableReplicas"}) {
    json["status"][count] = Json(seed.available);
  }
  json["status"]["terminatingReplicas"] = 0;
  cluster_.add(std::move(json));
  cluster_.skip(std::chrono::seconds(1));  // The next one is younger.
}

void World::add_pod(std::string_view name, const ReplicaSet& set, std::string_view phase) {
  JsonWriter references;
  references.begin_array();
  owner_identity(set).write_controller_reference(references);
  Json pod = Json::must(R"({"apiVersion": "v1", "kind": "Pod",
    "metadata": {"namespace": "default"}, "spec": {"nodeName": "n"}})");
  pod["metadata"]["name"] = Json(name);
  pod["metadata"]["ownerReferences"] = Json::must(references.end_array().text());
  pod["status"]["phase"] = Json(phase);
  cluster_.add(std::move(pod));
}

std::vector<ReplicaSet> World::sets() {
  std::vector<ReplicaSet> all = cluster_.all<ReplicaSet>();
  std::stable_sort(all.begin(), all.end(), [](const ReplicaSet& a, const ReplicaSet& b) {
    return a.creation_time() < b.creation_time();
  });
  return all;
}

ReplicaSet World::set(std::string_view image) {
  for (const ReplicaSet& each : sets()) {
    if (image_of(each) == image) return each;
  }
  std::abort();
}

std::int64_t World::size(std::string_view image) {
  for (const ReplicaSet& each : sets()) {
    if (image_of(each) == image) return each.replicas();
  }
  return -1;
}

void World::sync_once() {
  start();
  if (!cluster_.run_one_sync()) std::abort();
}

void World::sync() {
  start();
  cluster_.run_until_idle();
}

void World::run_until_idle() {
  constexpr int kTurnsMax = 200;
  start();
  for (int turn = 0; turn < kTurnsMax; ++turn) {
    cluster_.advance(std::chrono::seconds(1));
    if (!play_replica_sets()) return;
  }
  std::abort();  // They never rest.
}

bool World::play_replica_sets() {
  bool changed = false;
  for (const ReplicaSet& set : sets()) {
    const auto health = health_.find(image_of(set));
    const bool good = health == health_.end() || health->second == Health::kGood;
    const std::int64_t available = good ? set.replicas() : 0;
    Json json = cluster_.json<ReplicaSet>(set.key());
    const Json before = json;
    Json& status = json["status"];
    status["replicas"] = Json(set.replicas());
    status["readyReplicas"] = Json(available);
    status["availableReplicas"] = Json(available);
    status["terminatingReplicas"] = 0;
    status["observedGeneration"] = Json(set.generation());
    if (json == before) continue;
    cluster_.add(std::move(json));
    changed = changed || cluster_.json<ReplicaSet>(set.key()) != before;
  }
  return changed;
}

std::string World::with_images(std::string text) {
  for (const ReplicaSet& set : sets()) {
    const std::string name(set.name());
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
      text.replace(at, name.size(), "<" + image_of(set) + ">");
    }
  }
  return text;
}

std::vector<std::string> World::events() {
  std::vector<std::string> texts;
  for (const std::string& text : cluster_.event_texts()) texts.push_back(with_images(text));
  return texts;
}

std::vector<std::string> World::writes() {
  std::vector<std::string> texts;
  for (const testing::RequestRecord& each : cluster_.writes()) {
    texts.push_back(with_images(each.text()));
  }
  return texts;
}

}  // namespace davit::deployment
