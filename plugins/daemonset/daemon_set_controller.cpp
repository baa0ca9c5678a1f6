#include "plugins/daemonset/daemon_set_controller.hpp"

#include <algorithm>
#include <davit/kube/selector.hpp>
#include <davit/mutant.hpp>
#include <davit/options.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugins/daemonset/rolling_plan.hpp"
#include "plugins/daemonset/status_plan.hpp"
#include "plugins/shared/pods/availability.hpp"

namespace davit::daemonset {
namespace {

constexpr std::string_view kExpectations = "expectations";
constexpr std::string_view kFailedPods = "failedPods";
constexpr std::string_view kPodsByNode = "node";
constexpr std::chrono::minutes kCollectPeriod{1};  // Forgotten pauses are dropped then.

Result<Duration> read_config(Value config) {
  if (Status s = check_options(config, {kWriteWindowOption}); !s.ok()) return s;
  return read_write_window(config);
}

/// The keys of the DaemonSets that control these pods. UIDs do not count here.
std::set<std::string> controllers_of(const List<Pod>& pods) {
  std::set<std::string> keys;
  for (const Pod& pod : pods) {
    const std::optional<OwnerReference> owner = pod.controller();
    if (!owner || owner->kind() != DaemonSet::kResource.kind) continue;
    keys.insert(Key{std::string(pod.ns()), std::string(owner->name())}.text());
  }
  return keys;
}

}  // namespace

InitResult DaemonSetController::open(Context& cluster) {
  const Result<Duration> window = read_config(cluster.config());
  if (!window) return window.error();
  return std::unique_ptr<Controller>(std::make_unique<DaemonSetController>(cluster, *window));
}

DaemonSetController::DaemonSetController(Context& cluster, Duration write_window)
    : cluster_(cluster),
      queue_(
          cluster.open_queue({.name = "daemonset"}, [this](const Key& key) { return sync(key); })),
      node_queue_(cluster.open_queue({.name = "daemonset-node-updates"},
                                     [this](const Key& node) { return sync_node(node); })),
      sets_(cluster.open_informer<DaemonSet>(
          {.added = [this](const DaemonSet& set) { changes_.set_added(set); },
           .updated = [this](const DaemonSet& old,
                             const DaemonSet& set) { changes_.set_updated(old, set); },
           .deleted = [this](const DaemonSet& set) { changes_.set_deleted(set); }})),
      revisions_(cluster.open_informer<ControllerRevision>(
          {.added = [this](const ControllerRevision& each) { changes_.revision_added(each); },
           .updated = [this](
                          const ControllerRevision& old,
                          const ControllerRevision& each) { changes_.revision_updated(old, each); },
           .deleted =
               [this](const ControllerRevision& each) { changes_.revision_deleted(each); }})),
      pods_(cluster.open_informer<Pod>(
          {.added = [this](const Pod& pod) { changes_.pods().added(pod); },
           .updated = [this](const Pod& old, const Pod& pod) { changes_.pods().updated(old, pod); },
           .deleted = [this](const Pod& pod) { changes_.pods().deleted(pod); }})),
      // A deleted node causes nothing: the pods that go with it do.
      nodes_(cluster.open_informer<Node>(
          {.added = [this](const Node& node) { changes_.node_added(node); },
           .updated = [this](const Node& old,
                             const Node& node) { changes_.node_updated(old, node); }})),
      changes_(sets_, {queue_, node_queue_}, expectations_),
      history_(cluster, revisions_),
      pod_round_(cluster, expectations_),
      status_(cluster.client()),
      status_window_(write_window) {
  cluster.add_index(pods_, kPodsByNode, "spec.nodeName");
  cluster.start_timer({.period = kCollectPeriod}, [this] { backoff_.collect(cluster_.now()); });
}

Result<DebugPage> DaemonSetController::debug(std::string_view path, std::string_view query) const {
  const std::optional<Key> key = key_of_waits_page(path);
  if (!key) return Controller::debug(path, query);
  return DebugPage{.body = expectations_.waits(*key, cluster_.now())};
}

Result<Again> DaemonSetController::sync(const Key& key) {
  const Lookup<DaemonSet> set = sets_.get(key);
  if (!set) {  // Deleted. Its pods and revisions go with their owner.
    expectations_.erase(key);
    return Again::when_changed();
  }
  const Result<Selector> selector = Selector::parse(set->selector());
  if (selector && selector->matches_everything()) {
    cluster_.events().warning(
        *set, "SelectingAll",
        "This daemon set is selecting all pods. A non-empty selector is required.");
    return Again::when_changed();
  }
  if (set->is_being_deleted()) return Again::when_changed();
  if (!selector) {
    return selector.error().with_context("failed to construct revisions of DaemonSet");
  }
  return act(*set, *selector);
}

Result<Again> DaemonSetController::sync_node(const Key& key) const {
  const Lookup<Node> node = nodes_.get(key);
  if (!node) return Again::when_changed();
  const std::set<std::string> present = controllers_of(pods_.by_index(kPodsByNode, node->name()));
  for (const DaemonSet& set : sets_.list()) {
    const Eligibility wanted = NodeRules(set.pod_template()).judge(*node);
    const bool has_pod = present.contains(set.key().text());
    const bool concerned =
        has_pod ? !wanted.keep || set.count("numberMisscheduled") > 0 : wanted.run;
    if (concerned) queue_.add(set);
  }
  return Again::when_changed();
}

Result<Again> DaemonSetController::act(const DaemonSet& set, const Selector& selector) {
  // Asked before the pods are read: one that the cache learns of in between would be made twice.
  const bool may_change = expectations_.satisfied(set.key(), cluster_.now());
  ClaimedPods claimed(cluster_.client(), set, selector, pods_);
  const Result<Revisions> revisions = history_.construct(set, selector, claimed);
  if (!revisions) return revisions.error();
  const Result<std::vector<Pod>>& pods = claimed.get();
  if (!pods) return pods.error();
  const PodMeasure measure{{std::string(revisions->hash()), set.template_generation()},
                           set.min_ready(),
                           cluster_.wall_now()};
  const Round round{set,   *revisions, judge_nodes(set),
                    *pods, measure,    group_by_node(*pods, measure)};
  if (!may_change) return report(round, Observed::kNo, Pace::kWindowed);
  const Status updated = update(round);
  if (updated.ok()) return report(round, Observed::kYes, Pace::kWindowed);
  // The next try may be far away. Its own error counts less.
  static_cast<void>(report(round, Observed::kYes, Pace::kAtOnce));
  return updated;
}

Nodes DaemonSetController::judge_nodes(const DaemonSet& set) const {
  const NodeRules rules(set.pod_template());
  Nodes nodes;
  for (const Node& node : nodes_.list()) nodes.emplace(node.name(), rules.judge(node));
  return nodes;
}

Status DaemonSetController::update(const Round& round) {
  const ManagePlan managed = plan(round);
  report_ended(round.set, managed);
  if (Status s = pod_round_.run(round.set, round.measure.revision, managed.changes); !s.ok()) {
    return s;
  }
  // Otherwise the cache has to show the effects first, which queues the set again.
  if (managed.changes.empty() && round.set.strategy_type() == "RollingUpdate") {
    if (Status s = roll(round); !s.ok()) return s;
  }
  return history_.clean_up(round.set, round.revisions, round.pods);
}

ManagePlan DaemonSetController::plan(const Round& round) {
  const DaemonSet& set = round.set;
  const Surge surge =
      set.strategy_type() == "RollingUpdate" ? surge_of(set.max_surge()) : Surge::kNone;
  // Another spec or another set starts without a pause.
  const std::string place =
      std::string(set.uid()) + "/" + std::to_string(set.observed_generation()) + "/";
  return plan_manage(round.nodes, round.by_node, surge, [&](std::string_view node) {
    const std::optional<Duration> pause = backoff_.admit(place + std::string(node), cluster_.now());
    if (pause) queue_.add_after(set.key(), *pause);
    return !pause;
  });
}

void DaemonSetController::report_ended(const DaemonSet& set, const ManagePlan& plan) const {
  const EventRecorder events = cluster_.events();
  for (const EndedPod& pod : plan.ended) {
    const std::string where =
        std::string(set.ns()) + "/" + pod.name + " on node " + pod.node + ", will try to ";
    if (pod.phase == DaemonPod::Phase::kFailed) {
      events.warning(set, "FailedDaemonPod", "Found failed daemon pod " + where + "kill it");
    } else {
      events.normal(set, "SucceededDaemonPod", "Found succeeded daemon pod " + where + "delete it");
    }
  }
}

Status DaemonSetController::roll(const Round& round) const {
  const DaemonSet& set = round.set;
  const Result<RollingLimits> limits =
      rolling_limits({set.max_unavailable(), set.max_surge()}, desired_nodes(round.nodes));
  if (!limits) return limits.error().with_context("couldn't get unavailable numbers");
  const Result<PodChanges> changes = plan_rolling(round.nodes, round.by_node, *limits);
  if (!changes) return changes.error();
  return pod_round_.run(set, round.measure.revision, *changes);
}

Result<Again> DaemonSetController::report(const Round& round, Observed generation, Pace pace) {
  const DaemonSet& set = round.set;
  const StatusPlan plan{count_nodes(round.nodes, round.by_node), generation};
  const StatusWriter::Change change = StatusWriter::change(set, plan);
  const Time began = cluster_.now();
  if (change == StatusWriter::Change::kCounts && pace == Pace::kWindowed) {
    const Duration wait = status_window_.wait(set.key(), began);
    if (wait > Duration::zero()) return Again::after(wait);
  }
  if (change != StatusWriter::Change::kNone) {
    if (Status s = status_.write(set, plan); !s.ok()) {
      return s.with_context("error storing status for daemon set " + set.key().text());
    }
    status_window_.wrote(set.key(), began);
  }
  if (plan.counts.ready == plan.counts.available) return Again::when_changed();
  return pods::when_available(round.pods, set.min_ready(), round.measure.now, cluster_.wall_now());
}

void DaemonSetController::write(JsonWriter& out) const {
  out.begin_object().key(kExpectations);
  expectations_.write(out);
  out.key(kFailedPods);
  backoff_.write(out);
  out.end_object();
}

Status DaemonSetController::read(std::uint32_t, Value state) {
  Status status;
  const StateFields fields(state, status);
  const Time now = cluster_.now();
  Result<FailedPodBackoff::Pauses> pauses = FailedPodBackoff::parse(fields, kFailedPods, now);
  if (!pauses) return pauses.error();
  if (Status s = expectations_.read(fields, kExpectations, now); !s.ok()) return s;
  backoff_.replace(std::move(*pauses));
  return {};
}

}  // namespace davit::daemonset
