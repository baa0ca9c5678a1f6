#include "plugins/nodelifecycle/taint_eviction_controller.hpp"

#include <algorithm>
#include <chrono>
#include <davit/json_writer.hpp>
#include <davit/kube/taint.hpp>
#include <davit/mutant.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/nodelifecycle/cache_age.hpp"
#include "plugins/nodelifecycle/tolerance.hpp"

namespace davit::nodelifecycle {
namespace {

constexpr std::uint32_t kWorkers = 8;  // tainteviction.UpdateWorkerSize
constexpr int kTriesMax = 5;           // tainteviction.retries
constexpr std::chrono::milliseconds kPause{10};
constexpr std::chrono::seconds kStalePause{1};
constexpr std::chrono::milliseconds kVerifyPause{100};
// Nodes are verified this long before a countdown ends. A large cache takes three seconds.
constexpr std::chrono::seconds kVerifyLead{4};
constexpr const char* kPodsByNode = "node";
constexpr char kUidMark = '@';  // In no name.
constexpr const char* kEvictionReason = "TaintManagerEviction";

constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
constexpr std::string_view kDisruptionReason = "DeletionByTaintManager";
constexpr std::string_view kDisruptionMessage = "Taint manager: deleting due to NoExecute taint";

/// One pod, distinct from others of the same name before or after it.
struct PodIdentity {
  Key key;
  std::string uid;
};

bool same_no_execute(const Node& old, const Node& current) {
  return taints_from(old.taints(), kNoExecute) == taints_from(current.taints(), kNoExecute);
}

bool same_placement(const Pod& old, const Pod& current) {
  const auto tolerations = [](const Pod& pod) { return pod.spec()[&Names::tolerations]; };
  return old.node_name() == current.node_name() &&
         tolerations_from(tolerations(old)) == tolerations_from(tolerations(current));
}

/// The pod's key, its UID behind the name: another pod of that name has timers of its own.
Key identity_of(const Pod& pod) {
  return {std::string(pod.ns()), std::string(pod.name()) + kUidMark + std::string(pod.uid())};
}

PodIdentity pod_of(const Key& identity) {
  const std::size_t mark = identity.name.rfind(kUidMark);
  return {{identity.ns, identity.name.substr(0, mark)}, identity.name.substr(mark + 1)};
}

/// Events name the pod without its UID, as upstream does.
EventSubject subject(const PodIdentity& pod) { return {.ns = pod.key.ns, .name = pod.key.name}; }

bool is_disruption_condition(const ConditionView& present) {
  return present.is_true() && present.reason() == kDisruptionReason &&
         present.message() == kDisruptionMessage &&
         present.value()[&Names::last_probe_time].string().empty();
}

void write_order(const Pod& pod, JsonWriter& body) {
  body.key("$setElementOrder/conditions").begin_array();
  bool is_there = false;
  for (const Value each : pod.status()[&Names::conditions].elements()) {
    const std::string_view type = ConditionView(each).type();
    is_there = is_there || type == kDisruptionTarget;
    body.begin_object().member("type", type).end_object();
  }
  if (!is_there) body.begin_object().member("type", kDisruptionTarget).end_object();
  body.end_array();
}

/// A strategic merge patch of the status that adds the reason for the deletion; nothing if the
/// status has it already. The pod's UID is its precondition.
std::optional<std::string> disruption_patch(const Pod& pod, WallTime now) {
  const std::optional<ConditionView> present = pod.condition(kDisruptionTarget);
  if (present && is_disruption_condition(*present)) return std::nullopt;
  std::string since = format_time(now);
  if (present && present->is_true()) {
    since = present->value()[&Names::last_transition_time].string();
  }
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("uid", pod.uid()).end_object();
  body.key("status").begin_object();
  write_order(pod, body);
  body.key("conditions").begin_array().begin_object();
  body.member("type", kDisruptionTarget)
      .member("status", "True")
      .member("reason", kDisruptionReason);
  body.member("message", kDisruptionMessage).member("observedGeneration", pod.generation());
  body.key("lastProbeTime").null().member("lastTransitionTime", since);
  body.end_object().end_array().end_object().end_object();
  return std::move(body).text();
}

/// addConditionAndDeletePod: reads the pod from the server, patches its status and deletes it.
/// Nothing is done to another pod of its name. Blocks for up to three requests.
Status delete_pod(const Client& client, const PodIdentity& pod, WallTime now) {
  const Result<Pod> live = client.get<Pod>(pod.key);
  if (!live) return live.error();
  const std::string uid(mutant("eviction-uid") ? live->uid() : pod.uid);
  if (live->uid() != uid) return {};
  if (std::optional<std::string> body = disruption_patch(*live, now)) {
    const Status patched = client
                               .patch<Pod>(pod.key, PatchType::kStrategic, std::move(*body),
                                           {.subresource = "status", .answer = Answer::kMetadata})
                               .error();
    if (!patched.ok()) return patched;
  }
  return client.remove<Pod>(pod.key, {.uid = uid});
}

}  // namespace

TaintEvictionController::TaintEvictionController(Context& cluster)
    : cluster_(cluster),
      nodes_queue_(cluster.open_queue({.name = "noexec_taint_node", .workers = kWorkers},
                                      [this](const Key& key) { return sync_node(key); })),
      pods_queue_(cluster.open_queue({.name = "noexec_taint_pod", .workers = kWorkers},
                                     [this](const Key& key) { return sync_pod(key); })),
      evictions_(cluster.open_queue({.name = {}, .workers = kWorkers},
                                    [this](const Key& key) { return sync_eviction(key); })),
      nodes_(cluster.open_informer<Node>(
          {.added = [this](const Node& node) { nodes_queue_.add(node); },
           .updated =
               [this](const Node& old, const Node& node) {
                 if (!same_no_execute(old, node)) nodes_queue_.add(node);
               },
           .deleted = [this](const Node& node) { nodes_queue_.add(node); }},
          {.silence_max = kSilenceMax})),
      pods_(cluster.open_informer<Pod>(
          {.added = [this](const Pod& pod) { pods_queue_.add(identity_of(pod)); },
           .updated =
               [this](const Pod& old, const Pod& pod) {
                 if (old.uid() != pod.uid()) pods_queue_.add(identity_of(old));
                 if (old.uid() != pod.uid() || !same_placement(old, pod)) {
                   pods_queue_.add(identity_of(pod));
                 }
               },
           .deleted = [this](const Pod& pod) { pods_queue_.add(identity_of(pod)); }})),
      deletions_(cluster.open_metric(
          {.type = MetricType::kCounter,
           .name = "taint_eviction_controller_pod_deletions_total",
           .help = "Total number of Pods deleted by TaintEvictionController since its start."})),
      lateness_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "taint_eviction_controller_pod_deletion_duration_seconds",
           .help = "Latency, in seconds, between the time when a taint effect has been activated "
                   "for the Pod and its deletion via TaintEvictionController.",
           .buckets = {0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240}})) {
  cluster.add_index(pods_, kPodsByNode, "spec.nodeName");
}

Status TaintEvictionController::read(std::uint32_t, Value state) {
  const Result<std::vector<EvictionTimers::Call>> calls = timers_.read(state);
  if (!calls) return calls.error();
  const Time now = cluster_.now();
  for (const EvictionTimers::Call& each : *calls) look_after(each.pod, each.due - now);
  return {};
}

std::optional<Duration> TaintEvictionController::wait_for_nodes(Basis basis) {
  const CacheFreshness nodes = nodes_.freshness();
  const Time oldest = cluster_.now() - kStaleAfter;
  if (nodes.confirmed < oldest) return kStalePause;
  if (basis == Basis::kEvent || nodes.verified >= oldest || mutant("verified-taints")) {
    return std::nullopt;
  }
  nodes_.verify();
  return kVerifyPause;
}

Result<Again> TaintEvictionController::sync_node(const Key& key) {
  apply(check_node(key));
  return Again::when_changed();
}

Result<Again> TaintEvictionController::sync_pod(const Key& key) {
  if (meets_taints(key)) {
    if (const auto wait = wait_for_nodes(Basis::kCache)) return Again::after(*wait);
  }
  apply(check_pod(key));
  return Again::when_changed();
}

TaintEvictionController::Changes TaintEvictionController::check_node(const Key& key) {
  Changes changes;
  const std::lock_guard lock(looking_);
  const Lookup<Node> node = nodes_.get(key);
  // The timers of a deleted node's pods run on.
  if (!node) return changes;
  const std::vector<Taint> taints = taints_from(node->taints(), kNoExecute);
  for (const Pod& pod : pods_.by_index(kPodsByNode, key.name)) {
    if (taints.empty()) {
      cancel(identity_of(pod), changes);
    } else {
      evaluate(pod, taints, changes);
    }
  }
  return changes;
}

bool TaintEvictionController::meets_taints(const Key& pod) const {
  const Lookup<Pod> at_hand = pods_.get(pod_of(pod).key);
  if (!at_hand || at_hand->node_name().empty()) return false;
  const Lookup<Node> node = nodes_.get({}, at_hand->node_name());
  return node && !taints_from(node->taints(), kNoExecute).empty();
}

TaintEvictionController::Changes TaintEvictionController::check_pod(const Key& key) {
  Changes changes;
  const std::lock_guard lock(looking_);
  const PodIdentity wanted = pod_of(key);
  const Lookup<Pod> pod = pods_.get(wanted.key);
  if (!pod || pod->uid() != wanted.uid) {
    cancel(key, changes);
    return changes;
  }
  if (pod->node_name().empty()) return changes;
  const Lookup<Node> node = nodes_.get({}, pod->node_name());
  if (!node) return changes;
  const std::vector<Taint> taints = taints_from(node->taints(), kNoExecute);
  if (!taints.empty()) evaluate(*pod, taints, changes);
  return changes;
}

void TaintEvictionController::evaluate(const Pod& pod, std::span<const Taint> taints,
                                       Changes& out) {
  const Key key = identity_of(pod);
  const std::vector<Toleration> tolerations = tolerations_from(pod.spec()[&Names::tolerations]);
  const Tolerance tolerance = tolerance_of(tolerations, taints);
  switch (tolerance.kind) {
    case Tolerance::Kind::kUntolerated:
      cancel(key, out);
      return start(key, Duration::zero(), out);
    case Tolerance::Kind::kUnlimited:
      return cancel(key, out);
    case Tolerance::Kind::kFor:
      // A countdown that runs is moved by nothing, not even by another tolerationSeconds.
      return start(key, tolerance.time, out);
  }
}

void TaintEvictionController::cancel(const Key& pod, Changes& out) {
  if (timers_.cancel(pod) == EvictionTimers::Found::kPending) out.cancelled.push_back(pod);
}

void TaintEvictionController::start(const Key& pod, Duration delay, Changes& out) {
  const Time now = cluster_.now();
  if (timers_.add(pod, now, now + delay)) out.started.push_back({pod, delay});
}

void TaintEvictionController::look_after(const Key& pod, Duration delay) {
  evictions_.add_after(pod, std::max(Duration::zero(), delay - Duration(kVerifyLead)));
}

void TaintEvictionController::apply(const Changes& changes) {
  for (const Key& each : changes.cancelled) {
    const PodIdentity pod = pod_of(each);
    cluster_.events().record(Pod::kResource, subject(pod), "Normal", kEvictionReason,
                             "Cancelling deletion of Pod " + pod.key.text());
  }
  // One that was cancelled meanwhile finds nothing to do when its time comes.
  for (const Changes::Start& each : changes.started) look_after(each.pod, each.delay);
}

Result<Again> TaintEvictionController::sync_eviction(const Key& key) {
  const Time now = cluster_.now();
  const Basis basis = timers_.is_pending(key) ? Basis::kCache : Basis::kEvent;
  if (const auto wait = wait_for_nodes(basis)) return Again::after(*wait);
  const EvictionTimers::Step step = timers_.step(key, now);
  if (const auto* wait = std::get_if<EvictionTimers::Wait>(&step)) return Again::after(wait->rest);
  const auto* attempt = std::get_if<EvictionTimers::Attempt>(&step);
  if (attempt == nullptr) return Again::when_changed();
  const PodIdentity pod = pod_of(key);
  if (attempt->number == 1) {
    cluster_.events().record(Pod::kResource, subject(pod), "Normal", kEvictionReason,
                             "Marking for deletion Pod " + pod.key.text());
  }
  const Status deleted = delete_pod(cluster_.client(), pod, cluster_.wall_now());
  if (deleted.ok()) {
    deletions_.record(1);
    lateness_.record(std::chrono::duration<double>(cluster_.now() - attempt->due).count());
    return finish(key);
  }
  if (deleted.code() == Code::kCancelled) {  // The host cancelled it, and hands out the key again.
    timers_.not_tried(key);
    return deleted;
  }
  if (attempt->number < kTriesMax) return Again::after(kPause);
  cluster_.log().error("a pod was not evicted",
                       {{"pod", pod.key.text()}, {"error", deleted.message()}});
  return finish(key);
}

Result<Again> TaintEvictionController::finish(const Key& pod) {
  return timers_.ended(pod) ? Again::after(Duration::zero()) : Again::when_changed();
}

}  // namespace davit::nodelifecycle
