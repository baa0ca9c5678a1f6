#include "sandbox/metrics/measured_pod.hpp"

#include <davit/kube/time.hpp>

#include "lib/kube/condition_status.hpp"

namespace davit::sandbox {

namespace {

/// On a simulated Node; its value is its state (docs/sandbox-nodes.md).
constexpr std::string_view kNodeAnnotation = "sandbox.davit.dev/node";

Nanos request_of(const Json& container, std::string_view resource) {
  const Json* amount = container.at({"resources", "requests", resource});
  return amount == nullptr ? 0 : parse_nanos(amount->text()).value_or(0);
}

bool is_running(const Json& pod, std::string_view list, const std::string& container) {
  for (const Json& each : pod.get("status").get(list).items()) {
    if (each.get("name").text() == container) return each.get("state").contains("running");
  }
  return false;
}

/// Containers first, because a share of the load goes to the first one. `list` and its `statuses`.
void add_running(const Json& pod, std::string_view list, std::string_view statuses,
                 MeasuredPod& out) {
  for (const Json& each : pod.get("spec").get(list).items()) {
    if (list == "initContainers" && each.get("restartPolicy").text() != "Always") continue;
    const std::string& name = each.get("name").text();
    if (out.runs == PodRuns::kSimulated && !is_running(pod, statuses, name)) continue;
    out.containers.push_back({name, request_of(each, "cpu"), request_of(each, "memory")});
  }
}

std::string controller_of(const Json& pod) {
  for (const Json& each : pod.get("metadata").get("ownerReferences").items()) {
    if (each.get("controller").boolean()) return each.get("uid").text();
  }
  return "";
}

}  // namespace

NodeState node_state(const Json& node) {
  const std::string& state = node.text_at({"metadata", "annotations", kNodeAnnotation});
  if (state.empty()) return NodeState::kForeign;
  const bool is_off = state == "stopped" || state == "deleted";
  return is_off ? NodeState::kStopped : NodeState::kRunning;
}

MeasuredPod measured(const Json& pod, NodeState node, WallTime now) {
  MeasuredPod out;
  if (pod.text_at({"status", "phase"}) != "Running" || node == NodeState::kStopped) return out;
  out.runs = node == NodeState::kRunning ? PodRuns::kSimulated : PodRuns::kByHand;
  add_running(pod, "containers", "containerStatuses", out);
  add_running(pod, "initContainers", "initContainerStatuses", out);
  if (out.containers.empty()) out.runs = PodRuns::kNot;
  out.ready = condition_status(pod, "Ready") == "True" &&
              !pod.get("metadata").contains("deletionTimestamp");
  out.controller = controller_of(pod);
  const Json& annotations = pod.get("metadata").get("annotations");
  const auto amount = [&annotations](const char* name, const char* other) {
    const std::string& text = annotations.text_at({name});
    return text.empty() ? annotations.text_at({other}) : text;
  };
  out.cpu = amount(annotation::kUsageCpu, annotation::kMetricsCpu);
  out.memory = amount(annotation::kUsageMemory, annotation::kMetricsMemory);
  out.without_metrics = pod.text_at({"metadata", "annotations", annotation::kUsage}) == "none";
  if (const auto start = parse_time(pod.text_at({"status", "startTime"}))) {
    out.age = std::chrono::duration_cast<Duration>(now - *start);
  }
  return out;
}

}  // namespace davit::sandbox
