#include "plugins/daemonset/node_pods.hpp"

#include <algorithm>

#include "plugins/daemonset/daemon_set.hpp"

namespace davit::daemonset {
namespace {

bool precedes(const DaemonPod& a, const DaemonPod& b) {
  if (a.is_bound != b.is_bound) return a.is_bound;
  if (a.created != b.created) return a.created < b.created;
  return a.name < b.name;
}

DaemonPod::Phase phase_of(const Pod& pod) {
  if (pod.phase() == "Failed") return DaemonPod::Phase::kFailed;
  return pod.phase() == "Succeeded" ? DaemonPod::Phase::kSucceeded : DaemonPod::Phase::kOther;
}

DaemonPod facts_of(const Pod& pod, const PodMeasure& measure) {
  DaemonPod facts;
  facts.name = pod.name();
  facts.is_bound = !pod.node_name().empty();
  facts.created = pod.creation_time();
  facts.phase = phase_of(pod);
  facts.is_terminating = pod.is_being_deleted();
  facts.is_ready = pod.is_ready();
  facts.is_available = pod.is_available(measure.min_ready, measure.now);
  const PodRevision& revision = measure.revision;
  facts.has_hash = pod.label(kHashLabel).value_or("") == revision.hash;
  facts.is_updated = (facts.has_hash && !revision.hash.empty()) ||
                     (revision.generation && pod.label(kGenerationLabel) == *revision.generation);
  return facts;
}

}  // namespace

std::string_view target_node(const Pod& pod) {
  if (!pod.node_name().empty()) return pod.node_name();
  const Value required =
      pod.spec()["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  for (const Value term : required["nodeSelectorTerms"].elements()) {
    for (const Value field : term["matchFields"].elements()) {
      if (field[&Names::key].string() != "metadata.name" || field[&Names::op].string() != "In") {
        continue;
      }
      const Value values = field[&Names::values];
      return values.count() == 1 ? values.at(0).string() : std::string_view();
    }
  }
  return {};
}

NodePods group_by_node(std::span<const Pod> pods, const PodMeasure& measure) {
  NodePods groups;
  for (const Pod& pod : pods) {
    if (pod.is_finished() && pod.is_being_deleted()) continue;
    const std::string_view node = target_node(pod);
    if (!node.empty()) groups[std::string(node)].push_back(facts_of(pod, measure));
  }
  for (auto& [node, group] : groups) std::sort(group.begin(), group.end(), precedes);
  return groups;
}

std::set<std::string_view> live_hashes(std::span<const Pod> pods) {
  std::set<std::string_view> hashes;
  for (const Pod& pod : pods) {
    const std::string_view hash = pod.label(kHashLabel).value_or("");
    if (!hash.empty() && !target_node(pod).empty()) hashes.insert(hash);
  }
  return hashes;
}

}  // namespace davit::daemonset
