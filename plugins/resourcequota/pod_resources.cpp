#include "plugins/resourcequota/pod_resources.hpp"

#include <davit/kube/condition.hpp>
#include <optional>

namespace davit::resourcequota {
namespace {

/// Whether the node can never give the pod the resources that its spec asks for.
bool is_infeasible(const Pod& pod) {
  const std::optional<ConditionView> pending = pod.condition("PodResizePending");
  return pending && pending->reason() == "Infeasible";
}

bool is_sidecar(Value container) { return container[&Names::restart_policy].string() == "Always"; }

/// The status of a container of this name; absent if there is none.
Value status_of(const Pod& pod, std::string_view name) {
  for (const Value list :
       {pod.status()[&Names::container_statuses], pod.status()[&Names::init_container_statuses]}) {
    for (const Value each : list.elements()) {
      if (each[&Names::name].string() == name) return each;
    }
  }
  return {};
}

Amounts in_spec(Value container, Side side) {
  return read_amounts(container["resources"][side_text(side)]);
}

/// The resources of a container that may change while it runs: those of the spec or those that it
/// has got, whichever are more.
Amounts of_running(const Pod& pod, Value container, Side side, bool infeasible) {
  Amounts out = in_spec(container, side);
  const Value status = status_of(pod, container[&Names::name].string());
  const Value actual = status["resources"];
  if (actual.kind() != Kind::kObject) return out;
  if (infeasible) out.clear();
  raise(out, read_amounts(actual[side_text(side)]));
  if (side == Side::kRequests) raise(out, read_amounts(status["allocatedResources"]));
  return out;
}

Amounts of_containers(const Pod& pod, Side side) {
  const bool infeasible = is_infeasible(pod);
  Amounts sum;
  for (const Value each : pod.spec()[&Names::containers].elements()) {
    add(sum, of_running(pod, each, side, infeasible));
  }
  Amounts sidecars;  // Those that run already when the next init container starts.
  Amounts highest;
  for (const Value each : pod.spec()[&Names::init_containers].elements()) {
    if (is_sidecar(each)) {
      const Amounts own = of_running(pod, each, side, infeasible);
      add(sum, own);
      add(sidecars, own);
      raise(highest, sidecars);
    } else {
      Amounts together = in_spec(each, side);
      add(together, sidecars);
      raise(highest, together);
    }
  }
  raise(sum, highest);
  return sum;
}

/// Whether a pod as a whole may request it.
bool is_of_pods(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

}  // namespace

std::string_view side_text(Side side) { return side == Side::kRequests ? "requests" : "limits"; }

Amounts effective_resources(const Pod& pod, Side side) {
  Amounts out = of_containers(pod, side);
  for (const auto& [name, amount] : read_amounts(pod.spec()["resources"][side_text(side)])) {
    if (is_of_pods(name)) out[name] = amount;
  }
  for (const auto& [name, amount] : read_amounts(pod.spec()["overhead"])) {
    if (side == Side::kRequests) {
      out[name] += amount;
    } else if (const auto limit = out.find(name); limit != out.end() && !limit->second.is_zero()) {
      limit->second += amount;
    }
  }
  return out;
}

}  // namespace davit::resourcequota
