/// The events that make either controller sync a Service, and the pods that it then finds.
#pragma once

#include <davit/informer.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>
#include <davit/queue.hpp>
#include <davit/time.hpp>
#include <vector>

#include "plugins/endpoint/service_selectors.hpp"

namespace davit::endpoint {

/// Every change of a Service adds its key and is noted in `selectors`. Both must outlive the
/// handlers.
[[nodiscard]] Handlers<Service> service_handlers(const Queue& services,
                                                 ServiceSelectors& selectors);

/// Changes of pods that count, as keys of PodChange, so that a worker looks the Services through.
/// `pods` must outlive the handlers.
[[nodiscard]] Handlers<Pod> pod_handlers(const Queue& pods);

/// The sync of such a key: adds the Services concerned after `delay`.
[[nodiscard]] Result<Again> queue_services_of(const Key& pod_change,
                                              const ServiceSelectors& selectors,
                                              const Informer<Service>& services, const Queue& queue,
                                              Duration delay);

/// The pods that the Service selects, in any state.
[[nodiscard]] std::vector<Pod> selected_pods(const Service& service, const Informer<Pod>& pods);

}  // namespace davit::endpoint
