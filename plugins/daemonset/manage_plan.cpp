#include "plugins/daemonset/manage_plan.hpp"

#include <davit/mutant.hpp>

namespace davit::daemonset {
namespace {

/// The pods of a node that neither have ended nor are going, in their order. Those that have ended
/// are put into the plan.
std::vector<const DaemonPod*> running_pods(const std::string& node,
                                           const std::vector<DaemonPod>& pods,
                                           const AdmitFailed& admit_failed, ManagePlan& plan) {
  std::vector<const DaemonPod*> running;
  for (const DaemonPod& pod : pods) {
    if (pod.is_terminating) continue;
    if (pod.phase == DaemonPod::Phase::kOther) {
      running.push_back(&pod);
    } else if (pod.phase == DaemonPod::Phase::kSucceeded || admit_failed(node)) {
      plan.ended.push_back({pod.name, node, pod.phase});
      plan.changes.remove.push_back(pod.name);
    }
  }
  return running;
}

/// Leaves one pod of the present revision and one of an earlier one; and the latter only until the
/// former is available.
void thin_out_surge(const std::vector<const DaemonPod*>& running, PodChanges& changes) {
  const DaemonPod* present = nullptr;
  const DaemonPod* earlier = nullptr;
  for (const DaemonPod* pod : running) {
    const DaemonPod*& kept = pod->has_hash ? present : earlier;
    if (kept == nullptr) {
      kept = pod;
    } else {
      changes.remove.push_back(pod->name);
    }
  }
  if (present == nullptr || earlier == nullptr) return;
  if (!earlier->is_ready || present->is_available) changes.remove.push_back(earlier->name);
}

void plan_node(const std::string& node, const Eligibility& wanted,
               const std::vector<DaemonPod>& pods, Surge surge, const AdmitFailed& admit_failed,
               ManagePlan& plan) {
  PodChanges& changes = plan.changes;
  if (pods.empty()) {
    if (wanted.run) changes.create_on.push_back(node);
    return;
  }
  if (!wanted.keep) {
    for (const DaemonPod& pod : pods) {
      if (!pod.is_terminating) changes.remove.push_back(pod.name);
    }
    return;
  }
  const std::vector<const DaemonPod*> running = running_pods(node, pods, admit_failed, plan);
  if (surge == Surge::kAllowed) {
    if (running.empty() && wanted.run) changes.create_on.push_back(node);
    if (running.size() > 1) thin_out_surge(running, changes);
    return;
  }
  for (std::size_t i = 1; i < running.size(); ++i) changes.remove.push_back(running[i]->name);
}

}  // namespace

ManagePlan plan_manage(const Nodes& nodes, const NodePods& pods, Surge surge,
                       const AdmitFailed& admit_failed) {
  static const std::vector<DaemonPod> kNone;
  ManagePlan plan;
  for (const auto& [node, wanted] : nodes) {
    const auto found = pods.find(node);
    plan_node(node, wanted, found == pods.end() ? kNone : found->second, surge, admit_failed, plan);
  }
  // A pod that waits for a node that is gone can never run, and the pod garbage collector looks at
  // bound pods only. One that is going already needs no second deletion.
  for (const auto& [node, group] : pods) {
    if (nodes.contains(node)) continue;
    for (const DaemonPod& pod : group) {
      if (!pod.is_bound && !pod.is_terminating) plan.changes.remove.push_back(pod.name);
    }
  }
  return plan;
}

}  // namespace davit::daemonset
