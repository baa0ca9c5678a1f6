#include "plugins/nodelifecycle/pod_eviction.hpp"

#include <davit/json_writer.hpp>
#include <davit/kube/node.hpp>
#include <string_view>
#include <utility>

namespace davit::nodelifecycle {
namespace {

constexpr std::string_view kNodeLost = "NodeLost";

bool is_marked(const Pod& pod) { return pod.status()[&Names::reason].string() == kNodeLost; }

/// SetPodTerminationReason
std::string lost_patch(const Pod& pod, const std::string& node) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("uid", pod.uid());
  body.member("resourceVersion", pod.resource_version()).end_object();
  body.key("status").begin_object().member("reason", kNodeLost);
  body.member("message", "Node " + node + " which was running pod " + std::string(pod.name()) +
                             " is unresponsive");
  body.end_object().end_object();
  return std::move(body).text();
}

bool is_of_daemon_set(const Pod& pod) {
  const std::optional<OwnerReference> controller = pod.controller();
  return controller && controller->kind() == "DaemonSet";
}

}  // namespace

EvictionVerdict eviction_verdict(Ready observed, const NodeHealth& health, Time now,
                                 Duration timeout) {
  switch (observed) {
    case Ready::kTrue:
      return EvictionVerdict::kCancel;
    case Ready::kFalse:
      return now - health.ready_transition > timeout ? EvictionVerdict::kEvict
                                                     : EvictionVerdict::kWait;
    case Ready::kUnknown:
      return now - health.probe > timeout ? EvictionVerdict::kEvict : EvictionVerdict::kWait;
    case Ready::kOther:
      return EvictionVerdict::kWait;
  }
  return EvictionVerdict::kWait;
}

Status PodEviction::evict(const Target& target, Which which) const {
  Status conflict;
  bool is_reported = false;
  for (const Pod& pod : pods_.by_index(index_, target.node)) {
    if (is_marked(pod) && (which == Which::kNew || pod.is_being_deleted())) continue;
    if (!std::exchange(is_reported, true)) {
      cluster_.events().record(
          Node::kResource, EventSubject{.name = target.node, .uid = target.uid}, "Normal",
          "DeletingAllPods",
          "Node " + target.node + " event: Deleting all Pods from Node " + target.node + ".");
    }
    const Status evicted = evict(target, pod);
    if (evicted.ok()) continue;
    cluster_.log().warning("a pod was not evicted; it is tried again",
                           {{"pod", pod.key().text()}, {"error", evicted.message()}});
    if (evicted.code() != Code::kConflict) return evicted;
    conflict = evicted;
  }
  return conflict;
}

Status PodEviction::evict(const Target& target, const Pod& pod) const {
  const Client client = cluster_.client();
  // The cache keeps neither owners nor the whole status of a pod for this.
  const Result<Pod> live = client.get<Pod>(pod.key());
  if (!live) return live.error().unless(Code::kNotFound);
  if (live->uid() != pod.uid() || live->node_name() != target.node) return {};
  if (!is_marked(*live)) {
    const Status marked =
        client
            .patch<Pod>(pod.key(), PatchType::kStrategic, lost_patch(*live, target.node),
                        {.subresource = "status", .answer = Answer::kMetadata})
            .error();
    // If the patch fails otherwise, the pod is deleted without its reason.
    if (marked.code() == Code::kConflict) return marked;
  }
  if (live->is_being_deleted() || is_of_daemon_set(*live)) return {};
  cluster_.events().normal(
      pod, "NodeControllerEviction",
      "Marking for deletion Pod " + std::string(pod.name()) + " from Node " + target.node);
  return client.remove<Pod>(pod.key(), {.uid = std::string(pod.uid())}).unless(Code::kNotFound);
}

}  // namespace davit::nodelifecycle
