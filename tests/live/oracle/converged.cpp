#include "tests/live/oracle/converged.hpp"

#include <algorithm>
#include <set>

namespace davit::oracle {

namespace {

const std::string& annotation(const Json& object, std::string_view name) {
  return object.text_at({"metadata", "annotations", "sandbox.davit.dev/" + std::string(name)});
}

std::int64_t number(const Json& object, std::string_view part, std::string_view field) {
  return object.get(part).get(field).integer_or(0);
}

/// Whether the condition has `value` in its member.
bool condition_has(const Json& object, std::string_view type, std::string_view member,
                   std::string_view value) {
  const Json::Items& all = object.get("status").get("conditions").items();
  return std::any_of(all.begin(), all.end(), [&](const Json& each) {
    return each.text_at({"type"}) == type && each.text_at({member}) == value;
  });
}

bool condition_is(const Json& object, std::string_view type, std::string_view status) {
  return condition_has(object, type, "status", status);
}

std::string owner_of(const Json& object) {
  for (const Json& each : object.get("metadata").get("ownerReferences").items()) {
    if (each.get("controller").boolean()) return each.text_at({"uid"});
  }
  return "";
}

bool is_terminating(const Json& object) {
  return object.get("metadata").contains("deletionTimestamp");
}

bool is_observed(const Json& object) {
  return number(object, "status", "observedGeneration") ==
         object.get("metadata").get("generation").integer_or(0);
}

/// The API's default of `revisionHistoryLimit`.
constexpr std::int64_t kHistory = 10;

std::int64_t history_limit(const Json& owner) {
  return owner.get("spec").get("revisionHistoryLimit").integer_or(kHistory);
}

/// The living objects of a kind that `owner` controls.
std::vector<const Json*> children_of(const Json& owner, std::string_view kind,
                                     const std::vector<Life>& lives) {
  std::vector<const Json*> out;
  for (const Life& each : lives) {
    if (each.gone || each.kind->name != kind) continue;
    if (owner_of(each.now()) == owner.text_at({"metadata", "uid"})) out.push_back(&each.now());
  }
  return out;
}

struct PodCounts {
  std::int64_t pods = 0;
  std::int64_t ready = 0;
};

/// The pods of `owner` that neither end nor have ended.
PodCounts active_pods(const Json& owner, const std::vector<Life>& lives) {
  PodCounts out;
  for (const Json* pod : children_of(owner, "pod", lives)) {
    const std::string& phase = pod->text_at({"status", "phase"});
    if (is_terminating(*pod) || phase == "Failed" || phase == "Succeeded") continue;
    ++out.pods;
    out.ready += condition_is(*pod, "Ready", "True") ? 1 : 0;
  }
  return out;
}

constexpr char kRevisionHash[] = "controller-revision-hash";

/// The owned ControllerRevisions that no pod of the owner has.
std::int64_t unused_revisions(const Json& owner, const std::vector<Life>& lives) {
  std::set<std::string> used;
  for (const Json* pod : children_of(owner, "pod", lives))
    used.insert(pod->text_at({"metadata", "labels", kRevisionHash}));
  for (const char* each : {"currentRevision", "updateRevision"})
    used.insert(owner.text_at({"status", each}));
  const std::vector<const Json*> all = children_of(owner, "controllerrevision", lives);
  return std::count_if(all.begin(), all.end(), [&used](const Json* each) {
    // A StatefulSet's pods have the revision's name, a DaemonSet's the hash in it.
    return !used.contains(each->text_at({"metadata", "name"})) &&
           !used.contains(each->text_at({"metadata", "labels", kRevisionHash}));
  });
}

/// Whether the garbage collector still has to finish its deletion.
bool awaits_garbage_collector(const Json& object) {
  const Json::Items& all = object.get("metadata").get("finalizers").items();
  return std::any_of(all.begin(), all.end(), [](const Json& each) {
    return each.text() == "foregroundDeletion" || each.text() == "orphan";
  });
}

bool chooses(const Json& selector, const Json& pod) {
  const Json& labels = pod.get("metadata").get("labels");
  return std::all_of(
      selector.members().begin(), selector.members().end(),
      [&labels](const Json::Member& each) { return labels.get(each.key) == each.value; });
}

/// Whether its node, and not the scenario, has something left to do.
std::string unconverged_pod(const Json& pod) {
  const std::string& phase = pod.text_at({"status", "phase"});
  if (is_terminating(pod)) {
    // A scenario that looks at terminating pods makes them stop slowly.
    return annotation(pod, "stop-seconds").empty() &&
                   pod.get("metadata").get("finalizers").items().empty()
               ? "is terminating"
               : "";
  }
  if (pod.text_at({"spec", "nodeName"}).empty()) {
    return condition_is(pod, "PodScheduled", "False") ? "" : "is not scheduled";
  }
  const bool starts_slowly = !annotation(pod, "start-seconds").empty();
  bool can_start = annotation(pod, "image-pull") != "fail";
  for (const Json& each : pod.get("spec").get("containers").items()) {
    if (each.text_at({"image"}).ends_with(":does-not-exist")) can_start = false;
  }
  if (!can_start) return condition_is(pod, "Ready", "False") ? "" : "has no status";
  if (phase == "Pending") return starts_slowly ? "" : "does not run yet";
  const std::string& ready = annotation(pod, "ready");
  if (!annotation(pod, "exit-code").empty() || !annotation(pod, "run-seconds").empty() ||
      !annotation(pod, "ready-seconds").empty() || phase != "Running") {
    return "";
  }
  if (ready == "false") return condition_is(pod, "Ready", "False") ? "" : "is still ready";
  return condition_is(pod, "Ready", "True") ? "" : "is not ready yet";
}

/// Pods that are still to be adopted or released. Only matchLabels are looked at.
std::string unconverged_ownership(const Json& set, const std::vector<Life>& lives) {
  const Json& labels = set.get("spec").get("selector").get("matchLabels");
  if (labels.empty() || is_terminating(set)) return "";
  for (const Life& each : lives) {
    if (each.gone || each.kind->name != "pod" || is_terminating(each.now())) continue;
    const std::string owner = owner_of(each.now());
    const bool matches = chooses(labels, each.now());
    if (matches && owner.empty()) return "has not adopted " + each.name;
    if (!matches && owner == set.text_at({"metadata", "uid"})) {
      return "has not released " + each.name;
    }
  }
  return "";
}

bool has_taint(const Json& node, std::string_view key) {
  const Json::Items& all = node.get("spec").get("taints").items();
  return std::any_of(all.begin(), all.end(), [key](const Json& each) {
    return each.text_at({"key"}) == "node.kubernetes.io/" + std::string(key);
  });
}

/// NoExecute taints are the scenario's to await: how soon they come depends on the whole zone.
std::string unconverged_node(const Json& node) {
  const std::string& power = annotation(node, "node");
  const bool is_unknown = condition_is(node, "Ready", "Unknown");
  if (node.get("spec").get("unschedulable").boolean() != has_taint(node, "unschedulable")) {
    return "has another taint than its cordon";
  }
  if (power == "stopped") {
    return is_unknown && has_taint(node, "unreachable") && !has_taint(node, "not-ready")
               ? ""
               : "is not known to be silent";
  }
  if (power == "not-ready") {
    return condition_is(node, "Ready", "False") && has_taint(node, "not-ready") ? ""
                                                                                : "is still ready";
  }
  return condition_is(node, "Ready", "True") && !has_taint(node, "unreachable") &&
                 !has_taint(node, "not-ready")
             ? ""
             : "is not ready yet";
}

/// No kubelet looks after the pods of a silent node.
bool is_on_silent_node(const Json& pod, const std::vector<Life>& lives) {
  return std::any_of(lives.begin(), lives.end(), [&pod](const Life& each) {
    return !each.gone && each.kind->name == "node" &&
           each.name == pod.text_at({"spec", "nodeName"}) &&
           annotation(each.now(), "node") == "stopped";
  });
}

/// A rest waits for so short a time in which pods are ready and not available yet. Longer ones are
/// the scenario's to await.
constexpr std::int64_t kMinReadySecondsMax = 10;

std::string unconverged_set(const Json& set, const std::vector<Life>& lives) {
  if (std::string why = unconverged_ownership(set, lives); !why.empty()) return why;
  const auto [pods, ready] = active_pods(set, lives);
  if (!is_observed(set)) return "is not observed";
  if (number(set, "status", "replicas") != pods) return "counts other pods";
  if (number(set, "status", "readyReplicas") != ready) return "counts other ready pods";
  const std::int64_t min_ready = number(set, "spec", "minReadySeconds");
  if (min_ready > 0 && min_ready <= kMinReadySecondsMax &&
      number(set, "status", "availableReplicas") != ready) {
    return "counts other available pods";
  }
  if (number(set, "spec", "replicas") != pods && !condition_is(set, "ReplicaFailure", "True")) {
    return "wants other pods";
  }
  return "";
}

/// Whether its pods are as many as it wants is the scenario's to await: they may wait for one
/// another.
std::string unconverged_stateful_set(const Json& set, const std::vector<Life>& lives) {
  std::int64_t pods = 0;
  std::int64_t ready = 0;
  for (const Json* pod : children_of(set, "pod", lives)) {
    ++pods;
    const bool is_running = pod->text_at({"status", "phase"}) == "Running";
    ready += is_running && condition_is(*pod, "Ready", "True") ? 1 : 0;
  }
  if (!is_observed(set)) return "is not observed";
  if (number(set, "status", "replicas") != pods) return "counts other pods";
  if (number(set, "status", "readyReplicas") != ready) return "counts other ready pods";
  return unused_revisions(set, lives) > history_limit(set) ? "keeps old revisions" : "";
}

/// Another controller's Job, and one that has ended, need nothing.
std::string unconverged_job(const Json& job, const std::vector<Life>& lives) {
  if (job.get("spec").contains("managedBy") || condition_is(job, "Complete", "True") ||
      condition_is(job, "Failed", "True")) {
    return "";
  }
  const auto [active, ready] = active_pods(job, lives);
  if (number(job, "status", "active") != active) return "counts other pods";
  if (number(job, "status", "ready") != ready) return "counts other ready pods";
  const bool is_suspended = job.get("spec").get("suspend").boolean();
  if (is_suspended != condition_is(job, "Suspended", "True")) return "is not suspended or resumed";
  if (condition_is(job, "SuccessCriteriaMet", "True") ||
      condition_is(job, "FailureTarget", "True")) {
    return number(job, "status", "terminating") > 0 ? "" : "has not ended";
  }
  return "";
}

/// A rollout that has ended reports it, and leaves no more old ReplicaSets than it should.
std::string unconverged_end_of_rollout(const Json& deployment,
                                       const std::vector<const Json*>& sets) {
  const std::int64_t replicas = number(deployment, "spec", "replicas");
  for (const char* each : {"replicas", "updatedReplicas", "availableReplicas"}) {
    if (number(deployment, "status", each) != replicas) return "";
  }
  const Json& spec = deployment.get("spec");
  if (spec.get("paused").boolean() || is_terminating(deployment)) return "";
  if (spec.contains("progressDeadlineSeconds") &&
      !condition_has(deployment, "Progressing", "reason", "NewReplicaSetAvailable"))
    return "does not say that it is complete";
  const auto is_empty = [](const Json* set) {
    return !is_terminating(*set) && number(*set, "spec", "replicas") == 0 &&
           number(*set, "status", "replicas") == 0;
  };
  const std::int64_t empty = std::count_if(sets.begin(), sets.end(), is_empty);
  const std::int64_t newest = replicas == 0 ? 1 : 0;  // The newest may be empty only then.
  return empty - newest > history_limit(deployment) ? "keeps old ReplicaSets" : "";
}

std::string unconverged_deployment(const Json& deployment, const std::vector<Life>& lives) {
  const std::vector<const Json*> sets = children_of(deployment, "replicaset", lives);
  std::int64_t pods = 0;
  std::int64_t available = 0;
  for (const Json* each : sets) {
    pods += number(*each, "status", "replicas");
    available += number(*each, "status", "availableReplicas");
  }
  if (!is_observed(deployment)) return "is not observed";
  if (number(deployment, "status", "replicas") != pods) return "counts other replicas";
  if (number(deployment, "status", "availableReplicas") != available) {
    return "counts other available replicas";
  }
  return unconverged_end_of_rollout(deployment, sets);
}

std::string unconverged_cron_job(const Json& cron_job, const std::vector<Life>& lives) {
  if (is_terminating(cron_job)) return "";
  std::set<std::string> ended;
  for (const auto& [condition, limit] : {std::pair("Complete", "successfulJobsHistoryLimit"),
                                         {"Failed", "failedJobsHistoryLimit"}}) {
    std::int64_t kept = 0;
    for (const Json* job : children_of(cron_job, "job", lives)) {
      if (!condition_is(*job, condition, "True")) continue;
      ended.insert(job->text_at({"metadata", "uid"}));
      if (!is_terminating(*job)) ++kept;
    }
    const Json& wanted = cron_job.get("spec").get(limit);
    if (wanted.is_number() && kept > wanted.integer_or(0)) return "keeps old Jobs";
  }
  for (const Json& each : cron_job.get("status").get("active").items()) {
    if (ended.contains(each.text_at({"uid"}))) return "lists a Job that has ended";
  }
  return "";
}

/// The addresses of a slice's ready endpoints.
void add_ready(const Json& slice, std::set<std::string>& out) {
  for (const Json& each : slice.get("endpoints").items()) {
    if (!each.get("conditions").get("ready").boolean()) continue;
    for (const Json& address : each.get("addresses").items()) out.insert(address.text());
  }
}

/// The pod's address of this family; "" when it has none.
std::string address_of(const Json& pod, const std::string& family) {
  for (const Json& each : pod.get("status").get("podIPs").items()) {
    const std::string& ip = each.text_at({"ip"});
    if ((ip.find(':') != std::string::npos) == (family == "IPv6")) return ip;
  }
  return "";
}

/// Only Services whose ports all pods have: the others' addresses are the scenario's to await.
std::string unconverged_service(const Json& service, const std::vector<Life>& lives,
                                Slices slices) {
  const Json& spec = service.get("spec");
  if (spec.get("selector").empty() || spec.text_at({"type"}) == "ExternalName") return "";
  if (spec.get("publishNotReadyAddresses").boolean()) return "";
  for (const Json& each : spec.get("ports").items()) {
    if (!each.get("targetPort").is_number()) return "";
  }
  const Json::Items& families = spec.get("ipFamilies").items();
  std::set<std::string> wanted;  // In slices, of each family.
  std::set<std::string> first;   // In Endpoints: of the first family only.
  std::set<std::string> listed;
  std::set<std::string> sliced;
  bool exists = false;
  for (const Life& each : lives) {
    if (each.gone) continue;
    const Json& object = each.now();
    if (each.kind->name == "pod" && chooses(spec.get("selector"), object) &&
        !is_terminating(object) && condition_is(object, "Ready", "True")) {
      for (const Json& family : families) wanted.insert(address_of(object, family.text()));
      first.insert(families.empty() ? object.text_at({"status", "podIP"})
                                    : address_of(object, families.front().text()));
    }
    if (each.kind->name == "endpointslice" &&
        object.text_at({"metadata", "labels", "endpointslice.kubernetes.io/managed-by"}) ==
            "endpointslice-controller.k8s.io" &&
        object.text_at({"metadata", "labels", "kubernetes.io/service-name"}) ==
            service.text_at({"metadata", "name"})) {
      add_ready(object, sliced);
    }
    if (each.kind->name != "endpoints" || each.name != service.text_at({"metadata", "name"})) {
      continue;
    }
    exists = true;
    for (const Json& subset : object.get("subsets").items()) {
      for (const Json& address : subset.get("addresses").items()) {
        listed.insert(address.text_at({"ip"}));
      }
    }
  }
  wanted.erase("");
  first.erase("");
  if (!exists || first != listed) return "has other endpoints";
  return slices == Slices::kNone || wanted == sliced ? "" : "has other slices";
}

/// The name of the node that a daemon pod is for.
const std::string& node_of(const Json& pod) {
  static const std::string kNone;
  const std::string& bound = pod.text_at({"spec", "nodeName"});
  if (!bound.empty()) return bound;
  const Json* terms =
      pod.at({"spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
              "nodeSelectorTerms"});
  if (terms == nullptr) return kNone;
  for (const Json& term : terms->items()) {
    for (const Json& field : term.get("matchFields").items()) {
      for (const Json& name : field.get("values").items()) return name.text();
    }
  }
  return kNone;
}

/// Whether each node has the pods that it should have is the scenario's to await.
std::string unconverged_daemon_set(const Json& set, const std::vector<Life>& lives) {
  std::set<std::string> nodes;
  for (const Json* pod : children_of(set, "pod", lives)) nodes.insert(node_of(*pod));
  if (is_terminating(set)) return "";
  if (!is_observed(set)) return "is not observed";
  const std::int64_t counted =
      number(set, "status", "currentNumberScheduled") + number(set, "status", "numberMisscheduled");
  if (counted != static_cast<std::int64_t>(nodes.size())) return "counts other pods";
  const std::int64_t latest = nodes.empty() ? 1 : 0;  // No pod has it then.
  return unused_revisions(set, lives) - latest > history_limit(set) ? "keeps old revisions" : "";
}

/// A budget that cannot be computed keeps the generation that it was computed for last.
std::string unconverged_budget(const Json& budget) {
  const Json& status = budget.get("status");
  for (const Json& each : status.get("conditions").items()) {
    if (each.text_at({"reason"}) == "SyncFailed") return "";
  }
  const bool is_seen = status.get("observedGeneration") == budget.get("metadata").get("generation");
  return is_seen ? "" : "is not observed";
}

std::string unconverged_quota(const Json& quota) {
  const Json& hard = quota.get("status").get("hard");
  return quota.get("spec").get("hard").size() == hard.size() ? "" : "has other limits";
}

}  // namespace

bool has_no_controller(const Json& object) {
  return object.text_at({"metadata", "annotations", "oracle.davit.dev/controller"}) == "none";
}

std::string why_not_converged(const std::vector<Life>& lives, Slices slices) {
  for (const Life& each : lives) {
    if (each.gone || has_no_controller(each.now())) continue;
    std::string why;
    if (each.kind->name == "pod" && !is_on_silent_node(each.now(), lives)) {
      why = unconverged_pod(each.now());
    }
    if (each.kind->name == "node") why = unconverged_node(each.now());
    if (each.kind->name == "replicaset" || each.kind->name == "replicationcontroller")
      why = unconverged_set(each.now(), lives);
    if (each.kind->name == "daemonset") why = unconverged_daemon_set(each.now(), lives);
    if (each.kind->name == "poddisruptionbudget") why = unconverged_budget(each.now());
    if (each.kind->name == "statefulset") why = unconverged_stateful_set(each.now(), lives);
    if (each.kind->name == "resourcequota") why = unconverged_quota(each.now());
    if (each.kind->name == "deployment") why = unconverged_deployment(each.now(), lives);
    if (each.kind->name == "cronjob") why = unconverged_cron_job(each.now(), lives);
    if (each.kind->name == "job") why = unconverged_job(each.now(), lives);
    if (each.kind->name == "service") why = unconverged_service(each.now(), lives, slices);
    if (why.empty() && awaits_garbage_collector(each.now())) why = "awaits the garbage collector";
    if (!why.empty()) return std::string(each.kind->name) + ' ' + each.name + ' ' + why;
  }
  return "";
}

}  // namespace davit::oracle
