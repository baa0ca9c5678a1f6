#include "plugins/shared/replicas/pod_facts.hpp"

#include <algorithm>
#include <davit/mutant.hpp>

namespace davit::replicas {

TemplateLabels::TemplateLabels(const ReplicaSet& set) {
  const Value labels = set.pod_template()[&Names::metadata][&Names::labels];
  for (const Member& each : labels.members()) labels_.emplace_back(each.key, each.value.string());
}

bool TemplateLabels::are_on(const Pod& pod) const {
  const Value carried = pod.labels();
  return std::all_of(labels_.begin(), labels_.end(), [&](const auto& label) {
    return carried[label.first].text() == label.second;
  });
}

PodState pod_state(const Pod& pod, const TemplateLabels& labels, std::chrono::seconds min_ready,
                   WallTime now) {
  const bool ready = pod.is_ready();
  return {.ready = ready,
          .available = mutant("min-ready") ? ready : pod.is_available(min_ready, now),
          .fully_labeled = labels.are_on(pod)};
}

}  // namespace davit::replicas
