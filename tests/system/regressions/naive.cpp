#include "tests/system/regressions/naive.hpp"

namespace davit::test {

using sandbox::Json;

WorldOptions only(std::vector<std::string> controllers) {
  WorldOptions out{.host = {}};
  out.host.controllers = std::move(controllers);
  return out;
}

WorldOptions without_replica_sets() { return only({"deployment-controller"}); }

Record::Objects live_pods(const World& world, const std::string& app) {
  Record::Objects out = world.record().pods();
  std::erase_if(out, [&app](const auto& each) {
    const Json& metadata = each.second.get("metadata");
    return metadata.contains("deletionTimestamp") || metadata.get("labels").text_at({"app"}) != app;
  });
  return out;
}

void NaiveReplicaSets::stall(Record::Objects pods, host::Duration memory) {
  stalled_ = std::move(pods);
  memory_ = memory;
}

void NaiveReplicaSets::operator()(World& world) {
  if (stalled_ && world.clock().now() < forgets_) return;
  const Record::Objects pods = stalled_.value_or(world.record().pods());
  for (const auto& [uid, set] : world.record().replica_sets()) {
    if (set.text_at({"metadata", "labels", "app"}) != app_) continue;
    std::int64_t missing = set.get("spec").get("replicas").integer_or(0);
    for (const auto& [pod_uid, pod] : pods) {
      const Json* owners = pod.at({"metadata", "ownerReferences"});
      if (owners != nullptr && owners->items()[0].text_at({"uid"}) == uid) --missing;
    }
    for (; missing > 0; --missing) {
      make_pod(world, set);
      forgets_ = world.clock().now() + memory_;
    }
  }
}

void NaiveReplicaSets::make_pod(World& world, const Json& set) {
  const Json& pod = set.get("spec").get("template");
  world.send("POST", "/api/v1/namespaces/default/pods",
             R"({"metadata":{"generateName":"naive-","labels":)" +
                 to_text(pod.get("metadata").get("labels")) +
                 R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":")" +
                 set.text_at({"metadata", "name"}) + R"(","uid":")" +
                 set.text_at({"metadata", "uid"}) + R"(","controller":true}]},"spec":)" +
                 to_text(pod.get("spec")) + "}");
}

}  // namespace davit::test
