#include "plugins/podautoscaler/pod_facts.hpp"

#include <davit/kube/pod_resources.hpp>
#include <davit/kube/time.hpp>
#include <optional>
#include <string>

#include "plugins/podautoscaler/saturate.hpp"

namespace davit::podautoscaler {
namespace {

PodFacts::Ready ready_of(const std::optional<ConditionView>& condition) {
  if (!condition) return PodFacts::Ready::kAbsent;
  if (condition->status() == "True") return PodFacts::Ready::kTrue;
  return condition->status() == "False" ? PodFacts::Ready::kFalse : PodFacts::Ready::kUnknown;
}

std::optional<std::int64_t> milli_in(Value list, std::string_view resource) {
  const std::optional<Quantity> quantity = Quantity::read(list[resource]);
  return quantity ? std::optional(quantity->milli()) : std::nullopt;
}

Value requests_in(Value of) { return of["resources"]["requests"]; }

bool is_sidecar(Value container) { return container[&Names::restart_policy].string() == "Always"; }

bool is_pod_level(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

/// Whether the pod itself requests something.
bool has_pod_level_requests(const Pod& pod) {
  for (const Member& each : requests_in(pod.spec()).members()) {
    if (is_pod_level(each.key)) return true;
  }
  return false;
}

Result<std::int64_t> pod_level_request(const Pod& pod, std::string_view resource) {
  const ResourceList<> requests =
      pod_resources(pod.value(), ResourceSide::kRequests, ResourceSource::kSpec);
  const auto found = requests.find(resource);
  if (found == requests.end()) {
    return Status(Code::kInvalid, "missing pod-level request for " + std::string(resource) +
                                      " in Pod " + std::string(pod.name()));
  }
  return found->second.milli();
}

Result<std::int64_t> container_requests(const Pod& pod, const RequestedResource& resource) {
  std::int64_t sum = 0;
  bool found = false;
  const auto add = [&](Value container) -> Status {
    const std::string_view name = container[&Names::name].string();
    if (!resource.container.empty() && name != resource.container) return {};
    found = true;
    const std::optional<std::int64_t> milli = milli_in(requests_in(container), resource.name);
    if (!milli) {
      return {Code::kInvalid, "missing request for " + std::string(resource.name) +
                                  " in container " + std::string(name) + " of Pod " +
                                  std::string(pod.name())};
    }
    sum = saturated_sum(sum, *milli);
    return {};
  };
  for (const Value each : pod.spec()[&Names::containers].elements()) {
    if (Status s = add(each); !s.ok()) return s;
  }
  for (const Value each : pod.spec()[&Names::init_containers].elements()) {
    if (!is_sidecar(each)) continue;
    if (Status s = add(each); !s.ok()) return s;
  }
  if (found || resource.container.empty()) return sum;
  return Status(Code::kInvalid, "container " + std::string(resource.container) +
                                    " not found in Pod " + std::string(pod.name()));
}

}  // namespace

std::vector<PodFacts> facts_of(std::span<const Pod> pods) {
  std::vector<PodFacts> out;
  out.reserve(pods.size());
  for (const Pod& pod : pods) {
    const std::string_view phase = pod.phase();
    const std::optional<ConditionView> ready = pod.condition("Ready");
    const std::optional<WallTime> since = ready ? ready->last_transition_time() : std::nullopt;
    out.push_back({.name = std::string(pod.name()),
                   .is_ignored = pod.is_being_deleted() || phase == "Failed",
                   .is_pending = phase == "Pending",
                   .is_running = phase == "Running",
                   .ready = ready_of(ready),
                   .ready_since = since.value_or(kTimeMin),
                   .started = parse_time(pod.status()["startTime"].string())});
  }
  return out;
}

Result<PodRequests> requests_of(std::span<const Pod> pods, const RequestedResource& resource) {
  PodRequests out;
  for (const Pod& pod : pods) {
    const bool of_pod =
        resource.container.empty() && resource.pod_level && has_pod_level_requests(pod);
    const Result<std::int64_t> milli =
        of_pod ? pod_level_request(pod, resource.name) : container_requests(pod, resource);
    if (!milli) return milli.error();
    out.emplace(pod.name(), *milli);
  }
  return out;
}

}  // namespace davit::podautoscaler
