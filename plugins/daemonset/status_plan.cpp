#include "plugins/daemonset/status_plan.hpp"

namespace davit::daemonset {

DaemonCounts count_nodes(const Nodes& nodes, const NodePods& pods) {
  DaemonCounts counts;
  for (const auto& [node, wanted] : nodes) {
    const auto found = pods.find(node);
    const bool has_pod = found != pods.end() && !found->second.empty();
    if (!wanted.run) {
      if (has_pod) ++counts.misscheduled;
      continue;
    }
    ++counts.desired;
    if (!has_pod) continue;
    ++counts.current;
    const DaemonPod& pod = found->second.front();
    if (pod.is_ready) ++counts.ready;
    if (pod.is_available) ++counts.available;
    if (pod.is_updated) ++counts.updated;
  }
  return counts;
}

bool has_counts(const DaemonSet& set, const DaemonCounts& counts) {
  return set.count("desiredNumberScheduled") == counts.desired &&
         set.count("currentNumberScheduled") == counts.current &&
         set.count("numberMisscheduled") == counts.misscheduled &&
         set.count("numberReady") == counts.ready &&
         set.count("updatedNumberScheduled") == counts.updated &&
         set.count("numberAvailable") == counts.available &&
         set.count("numberUnavailable") == counts.unavailable();
}

}  // namespace davit::daemonset
