#include "plugins/nodelifecycle/pod_marker.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <utility>

namespace davit::nodelifecycle {
namespace {

// The number of responses held in memory at once; enough to keep any client's rate limit busy.
constexpr std::size_t kBatch = 256;

}  // namespace

std::optional<std::string> not_ready_patch(const Pod& pod, WallTime now) {
  const std::optional<ConditionView> ready = pod.condition("Ready");
  if (!ready || ready->status() == "False") return std::nullopt;
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("uid", pod.uid());
  body.member("resourceVersion", pod.resource_version()).end_object();
  body.key("status").begin_object().key("conditions").begin_array().begin_object();
  body.member("type", "Ready").member("status", "False");
  body.member("lastTransitionTime", format_time(now));
  body.end_object().end_array().end_object().end_object();
  return std::move(body).text();
}

void PodMarker::add(const Pod& pod, std::size_t owner) {
  std::optional<std::string> patch = not_ready_patch(pod, cluster_->wall_now());
  if (!patch) return;
  entries_.push_back({pod, owner});
  requests_.push_back(Request::patch<Pod>(pod.key(), PatchType::kStrategic, std::move(*patch),
                                          {.subresource = "status", .answer = Answer::kMetadata}));
}

std::vector<std::size_t> PodMarker::run() {
  std::vector<std::size_t> failed;
  for (std::size_t first = 0; first < requests_.size(); first += kBatch) {
    send(first, std::min(first + kBatch, requests_.size()), failed);
  }
  entries_.clear();
  requests_.clear();
  return failed;
}

void PodMarker::send(std::size_t first, std::size_t end, std::vector<std::size_t>& failed) const {
  const std::vector<Result<Value>> responses =
      cluster_->client().batch(std::span(requests_).subspan(first, end - first));
  for (std::size_t i = 0; i < responses.size(); ++i) {
    const Entry& entry = entries_[first + i];
    const Status status = responses[i].error();
    if (status.code() == Code::kNotFound) continue;
    // After a failed write, too: the pod's node is not ready all the same.
    cluster_->events().warning(entry.pod, "NodeNotReady", "Node is not ready");
    if (status.ok()) continue;
    cluster_->log().warning("a pod was not marked not ready",
                            {{"pod", entry.pod.key().text()}, {"error", status.message()}});
    if (failed.empty() || failed.back() != entry.owner) failed.push_back(entry.owner);
  }
}

}  // namespace davit::nodelifecycle
