#include "plugins/nodelifecycle/taint_zones.hpp"

#include <array>
#include <chrono>
#include <davit/mutant.hpp>
#include <utility>
#include <vector>

namespace davit::nodelifecycle {
namespace {

// The time after which a node that could not be judged is tried again.
constexpr std::chrono::milliseconds kUnjudgedWait{50};

}  // namespace

TaintZones::TaintZones(Context& cluster, const Options& options, const Informer<Pod>& pods)
    : cluster_(cluster),
      options_(options.zones),
      pod_eviction_timeout_(options.pod_eviction_timeout),
      eviction_(cluster, pods, kNodeIndex),
      writer_(cluster),
      size_(cluster.open_metric({.type = MetricType::kGauge,
                                 .name = "node_collector_zone_size",
                                 .help = "Gauge measuring number of registered Nodes per zones.",
                                 .labels = {"zone"}})),
      health_(cluster.open_metric({.type = MetricType::kGauge,
                                   .name = "node_collector_zone_health",
                                   .help = "Gauge measuring percentage of healthy nodes per zone.",
                                   .labels = {"zone"}})),
      unhealthy_(
          cluster.open_metric({.type = MetricType::kGauge,
                               .name = "node_collector_unhealthy_nodes_in_zone",
                               .help = "Gauge measuring number of not Ready Nodes per zones.",
                               .labels = {"zone"}})),
      evictions_(cluster.open_metric({.type = MetricType::kCounter,
                                      .name = "node_collector_evictions_total",
                                      .help = "Number of Node evictions that happened since "
                                              "current instance of NodeController started.",
                                      .labels = {"zone"}})) {}

void TaintZones::ensure(const std::string& zone) {
  if (!states_.ensure(zone)) return;
  evictions_.record(0, {zone});
  const std::lock_guard lock(mutex_);
  queues_.insert_or_assign(zone, TaintQueue(options_.rate, cluster_.now()));
}

void TaintZones::wrote_unknown(const NodeRecord& record, const Node& before) {
  const std::lock_guard lock(mutex_);
  before_unknown_.insert_or_assign(record.name, std::string(before.resource_version()));
}

void TaintZones::decide(NodeRecord& record, const Node& node, const Change& ready) {
  if (pod_eviction_timeout_) return decide_eviction(record, ready.observed);
  if (record.is_unreachable || record.is_not_ready) forget_written(record.name);
  switch (ready.current) {
    case Ready::kTrue:
      return mark_reachable(record, node);
    case Ready::kFalse:
      if (!record.is_unreachable) return decided_.push_back({&record, record.is_not_ready});
      // A failure is logged; the next pass tries again.
      static_cast<void>(write(
          record.name, node, {{no_execute(kNotReady)}, {no_execute(kUnreachable)}}, ready.current));
      return;
    case Ready::kUnknown:
      if (!record.is_not_ready) return decided_.push_back({&record, record.is_unreachable});
      static_cast<void>(write(
          record.name, node, {{no_execute(kUnreachable)}, {no_execute(kNotReady)}}, ready.current));
      return;
    case Ready::kOther:
      return;
  }
}

void TaintZones::decide_eviction(NodeRecord& record, Ready observed) {
  const Time now = cluster_.now();
  switch (eviction_verdict(observed, *record.health, now, *pod_eviction_timeout_)) {
    case EvictionVerdict::kWait:
      return;
    case EvictionVerdict::kCancel:
      return leave_queue(record);
    case EvictionVerdict::kEvict:
      break;
  }
  if (record.eviction == Eviction::kDone) {
    // Pods that came afterwards go at once; if that fails, in the node's turn.
    if (eviction_.evict({record.name, record.uid}, PodEviction::Which::kNew).ok()) return;
    leave_queue(record);
  }
  record.eviction = Eviction::kQueued;
  record.is_queued = true;
  const std::lock_guard lock(mutex_);
  queue_of(record.zone).add(record.name, now);
}

void TaintZones::mark_reachable(NodeRecord& record, const Node& node) {
  if (pod_eviction_timeout_) return leave_queue(record);
  const std::array<Taint, 2> taints = {no_execute(kUnreachable), no_execute(kNotReady)};
  Status removed;
  if (record.is_unreachable || record.is_not_ready) {
    removed = writer_.remove(node, taints);
  } else if (is_written(record.name)) {
    removed = writer_.remove(node.key(), taints);
  }
  if (!removed.ok()) {
    cluster_.log().error("a taint was not removed from a node that is reachable",
                         {{"node", record.name}, {"error", removed.message()}});
    return;
  }
  forget_written(record.name);
  leave_queue(record);
}

void TaintZones::forget(NodeRecord& record) {
  {
    const std::lock_guard lock(mutex_);
    before_unknown_.erase(record.name);
    written_.erase(record.name);
  }
  if (record.eviction != Eviction::kQueued) leave_queue(record);
}

void TaintZones::leave_queue(NodeRecord& record) {
  record.eviction = Eviction::kNone;
  if (!std::exchange(record.is_queued, false)) return;
  const std::lock_guard lock(mutex_);
  queue_of(record.zone).remove(record.name);
  before_unknown_.erase(record.name);
}

DisruptionPlan::Kind TaintZones::judge(const ZoneCounts& counts) {
  const DisruptionPlan plan = states_.update(counts, options_);
  for (const auto& [zone, count] : counts) report(zone, count);
  for (const std::string& zone : plan.vanished) report(zone, {});
  const Time now = cluster_.now();
  {
    const std::lock_guard lock(mutex_);
    for (const DisruptionPlan::Rate& each : plan.rates) {
      queue_of(each.zone).swap_limiter(each.rate, now);
    }
    are_down_ = states_.are_down();
  }
  const std::vector<Decided> decided = std::exchange(decided_, {});
  if (plan.kind == DisruptionPlan::Kind::kEnter) {
    cluster_.log().warning("all zones are down: no node is tainted NoExecute");
  } else {
    for (const Decided& each : decided) enqueue(*each.record, each.has_taint);
  }
  for (const DisruptionPlan::Rate& each : plan.rates) {
    cluster_.log().info("the rate of NoExecute taints of a zone changes",
                        {{"zone", each.zone}, {"per_second", std::to_string(each.rate)}});
  }
  return plan.kind;
}

void TaintZones::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.begin_array();
  // Every zone with a state has a queue.
  for (const auto& [zone, queue] : queues_) {
    out.begin_object().member("zone", zone);
    if (const auto state = states_.all().find(zone); state != states_.all().end()) {
      out.member("state", static_cast<int>(state->second));
    }
    queue.write(out);
    out.end_object();
  }
  out.end_array();
}

void TaintZones::read(const StateFields& state, std::string_view name) {
  constexpr StateFields::Range kStates = {0, static_cast<int>(ZoneState::kFullDisruption)};
  const Time now = cluster_.now();
  ZoneStates states;
  std::map<std::string, TaintQueue> queues;
  for (const Value element : state.array(name).elements()) {
    const StateFields each = state.element(element);
    const std::string zone = each.text("zone");
    queues.insert_or_assign(zone, TaintQueue::read(each, now));
    if (!each.has("state")) continue;
    states.set(zone, static_cast<ZoneState>(each.integer("state", kStates)));
  }
  if (!state.status().ok()) return;
  states_ = std::move(states);
  const std::lock_guard lock(mutex_);
  are_down_ = states_.are_down();
  queues_ = std::move(queues);
}

void TaintZones::run(const Informer<Node>& nodes, NodeRecords& records) {
  std::vector<std::string> zones;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [zone, queue] : queues_) zones.push_back(zone);
  }
  for (const std::string& zone : zones) {
    for (;;) {
      const Time now = cluster_.now();
      const std::optional<std::string> name = take(zone, now);
      if (!name) break;
      finish(zone, *name,
             pod_eviction_timeout_ ? evict(records.of(*name), zone)
                                   : taint(nodes.get({}, *name), zone),
             now);
    }
  }
}

std::optional<std::string> TaintZones::take(const std::string& zone, Time now) {
  const std::lock_guard lock(mutex_);
  return queue_of(zone).take(now);
}

void TaintZones::finish(const std::string& zone, const std::string& node,
                        const TaintQueue::Outcome& outcome, Time taken) {
  const std::lock_guard lock(mutex_);
  queue_of(zone).finish(node, outcome, taken);
}

void TaintZones::enqueue(NodeRecord& record, bool has_taint) {
  const std::lock_guard lock(mutex_);
  TaintQueue& queue = queue_of(record.zone);
  // One that waits goes to the end in each pass.
  if (!has_taint) queue.remove(record.name);
  queue.add(record.name, cluster_.now());
  record.is_queued = true;
}

void TaintZones::report(const std::string& zone, const ZoneCount& count) const {
  constexpr double kPercent = 100;
  const auto size = static_cast<double>(count.size());
  size_.record(size, {zone});
  health_.record(count.size() == 0 ? kPercent : kPercent * static_cast<double>(count.ready) / size,
                 {zone});
  unhealthy_.record(static_cast<double>(count.not_ready), {zone});
}

TaintQueue& TaintZones::queue_of(const std::string& zone) {
  return queues_.try_emplace(zone, options_.rate, cluster_.now()).first->second;
}

std::optional<Ready> TaintZones::ready_of(const Node& node) {
  {
    const std::lock_guard lock(mutex_);
    const auto before = before_unknown_.find(std::string(node.name()));
    if (before != before_unknown_.end()) {
      if (before->second == node.resource_version()) return Ready::kUnknown;
      before_unknown_.erase(before);
    }
  }
  const std::optional<ReadyFacts> ready = ReadyFacts::from(node);
  return ready ? std::optional(ready->status) : std::nullopt;
}

TaintQueue::Outcome TaintZones::taint(const Lookup<Node>& node, const std::string& zone) {
  if (!node) return TaintQueue::kDone;
  const std::optional<Ready> ready = ready_of(*node);
  if (!ready) return kUnjudgedWait;
  TaintSwap swap;
  if (ready == Ready::kFalse) {
    swap = {{no_execute(kNotReady)}, {no_execute(kUnreachable)}};
  } else if (ready == Ready::kUnknown) {
    swap = {{no_execute(kUnreachable)}, {no_execute(kNotReady)}};
  } else {
    return TaintQueue::kDone;
  }
  const Status written = write(std::string(node->name()), *node, std::move(swap), ready);
  if (written.code() == Code::kExpired) return TaintQueue::kDone;  // The next pass judges it.
  if (!written.ok()) return Duration::zero();
  evictions_.record(1, {zone});
  return TaintQueue::kDone;
}

Status TaintZones::write(const std::string& name, const Node& node, TaintSwap swap,
                         std::optional<Ready> judged) {
  const std::vector<Taint> added = swap.add;
  const Status done = writer_.swap(node, std::move(swap), judged);
  if (!done.ok() && done.code() != Code::kExpired) {
    cluster_.log().error("taints of a node were not written",
                         {{"node", name}, {"error", done.message()}});
  }
  {
    // An unclear answer counts as a write.
    const std::lock_guard lock(mutex_);
    if (done.code() != Code::kExpired) written_.insert(name);
    if (!are_down_ || mutant("taint-of-the-last-zone")) return done;
  }
  // The pass has judged the zones since, and may not have seen this taint.
  const Status removed = writer_.remove(node.key(), added);
  if (removed.ok()) return done;
  cluster_.log().error("a taint was not removed from a node while all zones are down",
                       {{"node", name}, {"error", removed.message()}});
  return done;
}

bool TaintZones::is_written(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return written_.contains(name) && !mutant("taint-before-the-cache");
}

void TaintZones::forget_written(const std::string& name) {
  const std::lock_guard lock(mutex_);
  written_.erase(name);
}

TaintQueue::Outcome TaintZones::evict(NodeRecord& record, const std::string& zone) const {
  // Also when the Node is gone: its pods are not.
  if (!eviction_.evict({record.name, record.uid}, PodEviction::Which::kAll).ok()) {
    return Duration::zero();
  }
  record.eviction = Eviction::kDone;
  evictions_.record(1, {zone});
  return TaintQueue::kDone;
}

}  // namespace davit::nodelifecycle
