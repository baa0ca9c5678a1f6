#include "plugins/devicetaint/pod_eviction.hpp"

#include <chrono>
#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace davit::devicetaint {
namespace {

constexpr std::string_view kTarget = "DisruptionTarget";
constexpr std::string_view kReason = "DeletionByDeviceTaintManager";
constexpr std::string_view kMessage = "Device Taint manager: deleting due to NoExecute taint";

/// The condition, as a strategic merge patch; empty if the pod has it.
std::string target_patch(const Pod& pod, WallTime now) {
  const std::optional<ConditionView> has = pod.condition(kTarget);
  if (has && has->is_true() && has->reason() == kReason && has->message() == kMessage) return "";
  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member("uid", pod.uid()).end_object();
  out.key("status").begin_object();
  const Value conditions = pod.status()[&Names::conditions];
  if (conditions.count() > 0) {
    out.key("$setElementOrder/conditions").begin_array();
    for (const Value each : conditions.elements()) {
      out.begin_object().member("type", each[&Names::type].string()).end_object();
    }
    if (!has) out.begin_object().member("type", kTarget).end_object();
    out.end_array();
  }
  out.key("conditions").begin_array().begin_object();
  out.member("type", kTarget).member("status", "True").member("reason", kReason);
  out.member("message", kMessage).key("lastProbeTime").null();
  out.member("lastTransitionTime", format_time(now));
  out.end_object().end_array().end_object().end_object();
  return std::move(out).text();
}

}  // namespace

PodEviction::PodEviction(Context& cluster)
    : cluster_(cluster),
      deletions_(cluster.open_metric(
          {.type = MetricType::kCounter,
           .name = "device_taint_eviction_controller_pod_deletions_total",
           .help = "Number of pods that were deleted because of taints of their devices"})),
      seconds_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "device_taint_eviction_controller_pod_deletion_duration_seconds",
           .help = "Time from the moment that a pod has to go to its deletion",
           .buckets = {0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240}})) {}

Result<Evicted> PodEviction::evict(const Pod& pod, WallTime when) const {
  const Client client = cluster_.client();
  const Result<Pod> live = client.get<Pod>(pod.key());
  if (!live && live.error().code() == Code::kNotFound) return Evicted::kNo;
  if (!live) return live.error();
  const std::string uid(mutant("devices-of-a-namesake") ? live->uid() : pod.uid());
  if (live->uid() != uid || live->is_being_deleted() || live->is_finished()) return Evicted::kNo;
  cluster_.events().normal(pod, "DeviceTaintManagerEviction", "Marking for deletion");
  std::string patch = target_patch(*live, cluster_.wall_now());
  if (!patch.empty()) {
    const Status patched = client
                               .patch<Pod>(pod.key(), PatchType::kStrategic, std::move(patch),
                                           {.subresource = "status", .answer = Answer::kMetadata})
                               .error();
    if (!patched.ok()) return patched;
  }
  const Status removed = client.remove<Pod>(pod.key(), {.uid = uid});
  if (!removed.ok()) return removed;
  deletions_.record(1);
  const std::chrono::duration<double> took = cluster_.wall_now() - when;
  seconds_.record(took.count());
  return Evicted::kYes;
}

}  // namespace davit::devicetaint
