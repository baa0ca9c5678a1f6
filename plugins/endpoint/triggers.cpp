#include "plugins/endpoint/triggers.hpp"

#include <optional>

#include "plugins/endpoint/pod_changes.hpp"

namespace davit::endpoint {

Handlers<Service> service_handlers(const Queue& services, ServiceSelectors& selectors) {
  const auto put = [&services, &selectors](const Service& service) {
    selectors.put(service);
    services.add(service);
  };
  return {.added = put,
          .updated = [put](const Service&, const Service& service) { put(service); },
          .deleted =
              [&services, &selectors](const Service& service) {
                selectors.erase(service);
                services.add(service);
              }};
}

Handlers<Pod> pod_handlers(const Queue& pods) {
  const auto add_whole = [&pods](const Pod& pod) { pods.add(whole_change(pod).key()); };
  return {.added = add_whole,
          .updated =
              [&pods](const Pod& old, const Pod& pod) {
                const std::optional<PodChange> change = change_between(old, pod);
                if (change) pods.add(change->key());
              },
          .deleted = add_whole};
}

Result<Again> queue_services_of(const Key& pod_change, const ServiceSelectors& selectors,
                                const Informer<Service>& services, const Queue& queue,
                                Duration delay) {
  const std::optional<PodChange> change = PodChange::parse(pod_change);
  if (!change) return Status(Code::kInvalid, "no change of a pod: " + pod_change.text());
  for (const Key& service : services_of(*change, selectors, services))
    queue.add_after(service, delay);
  return Again::when_changed();
}

std::vector<Pod> selected_pods(const Service& service, const Informer<Pod>& pods) {
  std::vector<Pod> selected;
  for (const Pod& pod : pods.with_labels(service.ns(), service.selector())) {
    if (service.selects(pod.labels())) selected.push_back(pod);
  }
  return selected;
}

}  // namespace davit::endpoint
