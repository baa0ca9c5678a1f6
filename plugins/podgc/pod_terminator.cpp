#include "plugins/podgc/pod_terminator.hpp"

#include <algorithm>
#include <cstddef>
#include <davit/json_writer.hpp>
#include <optional>
#include <utility>

namespace davit::podgc {
namespace {

// The number of pods whose requests and responses are in memory at once; enough to keep any
// client's rate limit busy.
constexpr std::size_t kBatch = 256;

constexpr std::string_view kDisruptionTarget = "DisruptionTarget";

void write_disruption(const Pod& pod, WallTime now, JsonWriter& body) {
  body.begin_object().member("type", kDisruptionTarget).member("status", "True");
  body.member("reason", "DeletionByPodGC").member("message", "PodGC: node no longer exists");
  if (pod.generation() > 0) body.member("observedGeneration", pod.generation());
  body.key("lastProbeTime").null();
  const std::optional<ConditionView> present = pod.condition(kDisruptionTarget);
  if (!present || !present->is_true()) body.member("lastTransitionTime", format_time(now));
  body.end_object();
}

}  // namespace

std::string failed_patch(const Pod& pod, const DeletionReason& reason, WallTime now) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("uid", pod.uid()).end_object();
  body.key("status").begin_object();
  if (reason.is_disruption) {
    body.key("conditions").begin_array();
    write_disruption(pod, now, body);
    body.end_array();
  }
  // Servers before v1.33 do not count generations of pods.
  if (pod.generation() > 0) body.member("observedGeneration", pod.generation());
  body.member("phase", "Failed").end_object().end_object();
  return std::move(body).text();
}

PodTerminator::PodTerminator(Context& cluster)
    : cluster_(cluster),
      deleted_(cluster.open_metric(
          {.type = MetricType::kCounter,
           .name = "pod_gc_collector_force_delete_pods_total",
           .help = "Number of pods that are being forcefully deleted since the Pod GC Controller "
                   "started.",
           .labels = {"namespace", "reason"}})),
      errors_(cluster.open_metric(
          {.type = MetricType::kCounter,
           .name = "pod_gc_collector_force_delete_pod_errors_total",
           .help = "Number of errors encountered when forcefully deleting the pods since the Pod "
                   "GC Controller started.",
           .labels = {"namespace", "reason"}})) {}

void PodTerminator::run(std::span<const Pod> pods, const DeletionReason& reason) const {
  while (!pods.empty()) {
    const std::span<const Pod> some = pods.first(std::min(pods.size(), kBatch));
    remove(fail(some, reason), reason);
    pods = pods.subspan(some.size());
  }
}

std::vector<Pod> PodTerminator::fail(std::span<const Pod> pods,
                                     const DeletionReason& reason) const {
  std::vector<Pod> out;
  std::vector<Pod> alive;
  std::vector<Request> requests;
  for (const Pod& pod : pods) {
    deleted_.record(1, {pod.ns(), reason.name});
    if (pod.is_finished()) {
      out.push_back(pod);
      continue;
    }
    alive.push_back(pod);
    requests.push_back(Request::patch<Pod>(pod.key(), PatchType::kStrategic,
                                           failed_patch(pod, reason, cluster_.wall_now()),
                                           {.subresource = "status", .answer = Answer::kMetadata}));
  }
  const std::vector<Result<Value>> responses = cluster_.client().batch(requests);
  for (std::size_t i = 0; i < responses.size(); ++i) {
    if (responses[i]) {
      out.push_back(alive[i]);
      continue;
    }
    const Pod& pod = alive[i];
    const std::string what = "failed to patch status \"" + requests[i].body + "\" for pod \"" +
                             std::string(pod.ns()) + "\"/\"" + std::string(pod.name()) + "\"";
    note_failure(pod, reason, responses[i].error().with_context(what));
  }
  return out;
}

void PodTerminator::remove(const std::vector<Pod>& pods, const DeletionReason& reason) const {
  std::vector<Request> requests;
  requests.reserve(pods.size());
  for (const Pod& pod : pods) {
    // The UID protects a successor of the name, which may be in the cache a moment later.
    requests.push_back(
        Request::remove<Pod>(pod.key(), {.grace_seconds = 0, .uid = std::string(pod.uid())}));
  }
  const std::vector<Result<Value>> responses = cluster_.client().batch(requests);
  for (std::size_t i = 0; i < responses.size(); ++i) {
    if (!responses[i]) note_failure(pods[i], reason, responses[i].error());
  }
}

void PodTerminator::note_failure(const Pod& pod, const DeletionReason& reason,
                                 const Status& error) const {
  if (error.code() == Code::kCancelled) return;  // The host or this build is about to end.
  errors_.record(1, {pod.ns(), reason.name});
  cluster_.log().error("a pod was not deleted", {{"pod", pod.key().text()},
                                                 {"reason", std::string(reason.name)},
                                                 {"error", error.message()}});
}

}  // namespace davit::podgc
