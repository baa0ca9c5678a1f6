#include "plugins/podautoscaler/pod_facts.hpp"

#include <algorithm>
#include <davit/kube/quantity.hpp>
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

/// The most that its containers may need at once; nothing if none of them requests any.
std::optional<std::int64_t> aggregate(const Pod& pod, std::string_view resource) {
  bool any = false;
  const auto of = [&](Value container) {
    const std::optional<std::int64_t> milli = milli_in(requests_in(container), resource);
    any = any || milli.has_value();
    return milli.value_or(0);
  };
  std::int64_t sum = 0;
  std::int64_t sidecars = 0;
  std::int64_t highest = 0;
  for (const Value each : pod.spec()[&Names::containers].elements()) {
    sum = saturated_sum(sum, of(each));
  }
  for (const Value each : pod.spec()[&Names::init_containers].elements()) {
    const std::int64_t own = of(each);
    if (is_sidecar(each)) {
      sum = saturated_sum(sum, own);
      sidecars = saturated_sum(sidecars, own);
    } else {
      highest = std::max(highest, saturated_sum(own, sidecars));
    }
  }
  return any ? std::optional(std::max(sum, highest)) : std::nullopt;
}

Result<std::int64_t> pod_level_request(const Pod& pod, std::string_view resource) {
  std::optional<std::int64_t> milli =
      is_pod_level(resource) ? milli_in(requests_in(pod.spec()), resource) : std::nullopt;
  if (!milli) milli = aggregate(pod, resource);
  if (!milli) {
    return Status(Code::kInvalid, "missing pod-level request for " + std::string(resource) +
                                      " in Pod " + std::string(pod.name()));
  }
  return saturated_sum(*milli, milli_in(pod.spec()["overhead"], resource).value_or(0));
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
