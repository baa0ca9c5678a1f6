#include "plugins/nodelifecycle/health_pass.hpp"

#include <algorithm>
#include <chrono>
#include <davit/mutant.hpp>
#include <span>
#include <string>
#include <utility>

#include "plugins/nodelifecycle/cache_age.hpp"

namespace davit::nodelifecycle {
namespace {

// The number of responses held in memory at once; enough to keep any client's rate limit busy.
constexpr std::size_t kBatch = 256;
// Upstream's retrySleepTime and NodeHealthUpdateRetry: every 20 ms within 100 ms.
constexpr int kRetriesMax = 5;
constexpr std::chrono::milliseconds kRetryTime{100};
// Nodes that fall silent one after the other cost two passes a second at most, and each is marked
// within a second of its deadline.
constexpr std::chrono::milliseconds kPassGap{500};
constexpr std::chrono::milliseconds kPastDeadline{1};

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

std::string node_event(const std::string& name, std::string_view what) {
  return "Node " + name + " event: " + std::string(what);
}

Request unknown_request(const Node& node, WallTime now) {
  return Request::patch<Node>(node.key(), PatchType::kStrategic, unknown_patch(node, now),
                              {.subresource = "status", .answer = Answer::kMetadata});
}

void write_health(const NodeHealth& health, JsonWriter& out) {
  out.begin_object().member("probe", state_time(health.probe));
  out.member("transition", state_time(health.ready_transition));
  if (health.ready) {
    out.key("ready").begin_object().member("status", static_cast<int>(health.ready->status));
    out.member("heartbeat", health.ready->heartbeat);
    out.member("transition", health.ready->transition).end_object();
  }
  if (health.lease) {
    out.key("lease").begin_object();
    if (const auto& renewed = health.lease->renewed) {
      out.member("renewed", renewed->time_since_epoch().count());
    }
    out.end_object();
  }
  out.end_object();
}

NodeHealth read_health(const StateFields& state, Time now) {
  constexpr StateFields::Range kReady = {0, static_cast<int>(Ready::kOther)};
  NodeHealth health{.probe = state.past("probe", now),
                    .ready_transition = state.past("transition", now)};
  if (state.has("ready")) {
    const StateFields ready = state.object("ready");
    health.ready = ReadyFacts{static_cast<Ready>(ready.integer("status", kReady)),
                              ready.text("heartbeat"), ready.text("transition")};
  }
  if (state.has("lease")) {
    const StateFields lease = state.object("lease");
    health.lease.emplace();
    if (lease.has("renewed")) health.lease->renewed = WallTime(Duration(lease.integer("renewed")));
  }
  return health;
}

}  // namespace

HealthPass::HealthPass(Context& cluster, const Caches& caches, const Options& options,
                       UnreadyNodes& unready)
    : cluster_(cluster),
      caches_(caches),
      options_(options),
      unready_(unready),
      zones_(cluster, options, caches.pods),
      node_seconds_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "node_collector_update_node_health_duration_seconds",
           .help = "Duration in seconds for NodeController to update the health of a single node.",
           .buckets = {0.001, 0.004, 0.016, 0.064, 0.256, 1.024, 4.096, 16.384}})),
      pass_seconds_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "node_collector_update_all_nodes_health_duration_seconds",
           .help = "Duration in seconds for NodeController to update the health of all nodes.",
           .buckets = {0.01, 0.04, 0.16, 0.64, 2.56, 10.24, 40.96, 163.84}})),
      marker_(cluster) {}

void HealthPass::run() {
  ++pass_;
  const Time began = now_ = cluster_.now();
  wall_now_ = cluster_.wall_now();
  deadline_ = Time::max();
  counts_.clear();
  seen_ = 0;
  read_freshness();
  read_leases();
  const List<Node> nodes = caches_.nodes.list();
  observed_ = cluster_.now();
  std::size_t place = 0;
  for (const Node& node : nodes) look(records_.of(node.name(), place++, node_order_), node);
  forget_gone(nodes.size());
  write_silent();
  // Before the pods, which may take minutes: no node is tainted once all zones are down.
  handle_disruption(nodes);
  for (const std::size_t owner : marker_.run()) marked_[owner]->marks_again = true;
  marked_.clear();
  pass_seconds_.record(seconds(cluster_.now() - began));
  schedule();
}

void HealthPass::look(NodeRecord& record, const Node& node) {
  read(record, node);
  zones_.ensure(record.zone);
  if (record.last_pass == 0) admit(record, node);
  record.last_pass = pass_;
  if (record.lease_pass != pass_) ++seen_;
  const Heartbeat heartbeat = heartbeat_of(record);
  if (needs_unknown(record.ready)) {
    const Time end = end_of_grace(*record.health);
    if (heartbeat == Heartbeat::kSilent && is_confirmed(end)) {
      silent_.push_back({&record, node});
      return;
    }
    deadline_ = std::min(deadline_, end);
  }
  if (!record.ready) {
    apply(record, node, Ready::kUnknown, std::nullopt);
  } else {
    const Ready ready = record.ready->status;
    // While a node is silent, the cache may lack the write whose response was lost.
    const bool may_lack = heartbeat == Heartbeat::kSilent && ready == Ready::kTrue;
    const bool marks_again = may_lack && record.marks_again;
    apply(record, node, ready, ready);
    record.marks_again |= marks_again;
  }
  const Time began = std::exchange(observed_, cluster_.now());
  node_seconds_.record(seconds(observed_ - began));
}

void HealthPass::read_leases() {
  std::size_t place = 0;
  for (const Lease& lease : caches_.leases.list()) {
    NodeRecord& record = records_.of(lease.name(), place++, lease_order_);
    const std::string_view defect = record.lease_defect;
    record.read(lease);
    record.lease_pass = pass_;
    ++seen_;
    // Logged once, not with each renewal.
    if (record.lease_defect == defect || record.lease_defect.empty()) continue;
    cluster_.log().warning("the Lease of a node is not a sign of life",
                           {{"node", record.name}, {"why", record.lease_defect}});
  }
}

void HealthPass::read(NodeRecord& record, const Node& node) const {
  const std::string_view defect = record.defect;
  record.read(node, now_, wall_now_);
  if (record.lease_pass != pass_) record.read(std::optional<Lease>());
  // Logged once, not with each heartbeat.
  if (record.defect != defect && !record.defect.empty()) {
    cluster_.log().warning("part of a node is malformed and counts as missing",
                           {{"node", record.name}, {"why", record.defect}});
  }
}

void HealthPass::admit(NodeRecord& record, const Node& node) {
  ++known_;
  cluster_.events().normal(
      node, "RegisteredNode",
      node_event(record.name, "Registered Node " + record.name + " in Controller"));
  // A restart removes the taints; they return at the limited rate.
  zones_.mark_reachable(record, node);
  // An earlier controller may have ended between the node's status and its pods. A node that says
  // itself that it is not ready never had its pods marked.
  record.marks_again = record.ready && record.ready->status == Ready::kUnknown;
}

Heartbeat HealthPass::heartbeat_of(NodeRecord& record) const {
  const Heartbeat heartbeat =
      observe(record.health, {record.ready, record.lease, record.created}, now_, options_.grace);
  publish(record);
  return now_ > end_of_grace(*record.health) ? heartbeat : Heartbeat::kAlive;
}

void HealthPass::read_freshness() {
  const CacheFreshness nodes = caches_.nodes.freshness();
  const CacheFreshness leases = caches_.leases.freshness();
  followed_since_ = std::max(nodes.followed_since, leases.followed_since);
  nodes_verified_ = nodes.verified;
  leases_verified_ = leases.verified;
}

Time HealthPass::end_of_grace(const NodeHealth& health) const {
  return std::max(health.probe, followed_since_) +
         (health.ready ? options_.grace.monitor : options_.grace.startup);
}

bool HealthPass::is_confirmed(Time time) {
  // A working connection is not enough: the server may serve from a cache that stands still.
  // A write about a node that has changed since is refused, so nodes may be known a bit less.
  const bool nodes = nodes_verified_ + kStaleAfter >= time;
  const bool leases = leases_verified_ >= time;
  if (!nodes) caches_.nodes.verify();
  if (!leases) caches_.leases.verify();
  return (nodes && leases) || mutant("freshness");
}

void HealthPass::taint() {
  if (cluster_.now() - caches_.nodes.freshness().confirmed > kStaleAfter) return;
  zones_.run(caches_.nodes, records_);
}

void HealthPass::publish(NodeRecord& record) const {
  const bool is_unready = record.health->ready && record.health->ready->status != Ready::kTrue;
  if (is_unready == record.is_published) return;
  record.is_published = is_unready;
  unready_.set(record.name,
               is_unready ? UnreadyNodes::State::kUnready : UnreadyNodes::State::kReady);
}

void HealthPass::write_silent() {
  const std::size_t batch = mutant("silent-batch") ? 1 : kBatch;
  for (std::size_t first = 0; first < silent_.size(); first += batch) {
    const std::size_t end = std::min(first + batch, silent_.size());
    std::vector<Request> requests;
    for (std::size_t i = first; i < end; ++i) {
      requests.push_back(unknown_request(silent_[i].node, cluster_.wall_now()));
    }
    const Time began = cluster_.now();
    const std::vector<Result<Value>> responses = cluster_.client().batch(requests);
    now_ = cluster_.now();
    for (std::size_t i = first; i < end; ++i) {
      const Result<Value>& response = responses[i - first];
      if (response) {
        became_unknown(*silent_[i].record, silent_[i].node);
      } else {
        try_again(silent_[i], response.error());
      }
      node_seconds_.record(seconds(cluster_.now() - began));
    }
  }
  silent_.clear();
}

void HealthPass::try_again(const Silent& silent, Status why) {
  NodeRecord& record = *silent.record;
  const Ready before = record.ready ? record.ready->status : Ready::kUnknown;
  const Time began = cluster_.now();
  for (int i = 0; i < kRetriesMax && cluster_.now() - began <= kRetryTime; ++i) {
    const Result<Node> live = cluster_.client().get<Node>(silent.node.key());
    if (!live) {
      why = live.error();
      break;
    }
    now_ = cluster_.now();
    record.read(*live, now_, cluster_.wall_now());
    if (heartbeat_of(record) == Heartbeat::kAlive || !needs_unknown(record.ready)) {
      const Ready ready = record.ready ? record.ready->status : Ready::kUnknown;
      // Unknown now: the response was lost, but not the write, and its pods are still to be marked.
      const Ready observed =
          ready == Ready::kUnknown && !mutant("unknown-of-a-lost-response") ? before : ready;
      return apply(record, *live, observed, record.ready ? std::optional(ready) : std::nullopt);
    }
    why = cluster_.client().call(unknown_request(*live, cluster_.wall_now())).error();
    if (why.ok()) return became_unknown(record, *live);
  }
  // The write may have been applied all the same, and the next pass would find the node Unknown.
  record.marks_again = before == Ready::kTrue && !mutant("marks-of-a-lost-response");
  cluster_.log().error("the health of a node was not written; it is left out of this pass",
                       {{"node", record.name}, {"error", why.message()}});
}

void HealthPass::became_unknown(NodeRecord& record, const Node& node) {
  const Ready observed = record.ready ? record.ready->status : Ready::kUnknown;
  note_unknown(*record.health, {record.ready, record.lease, record.created},
               node.metadata()[&Names::creation_timestamp].string(), now_);
  publish(record);
  zones_.wrote_unknown(record, node);
  apply(record, node, observed, Ready::kUnknown);
}

void HealthPass::apply(NodeRecord& record, const Node& node, Ready observed,
                       std::optional<Ready> current) {
  if (!record.is_excluded) {
    ZoneCount& count = counts_[record.zone];
    ++(current == Ready::kTrue ? count.ready : count.not_ready);
  }
  const bool marks_again = std::exchange(record.marks_again, false);
  if (!current) return;
  zones_.decide(record, node, {.observed = observed, .current = *current});
  if (*current != Ready::kTrue && observed == Ready::kTrue) {
    cluster_.events().normal(node, "NodeNotReady",
                             "Node " + record.name + " status is now: NodeNotReady");
    mark_pods(record);
  } else if (!mutant("marks-again") && marks_again && observed != Ready::kTrue) {
    mark_pods(record);
  }
}

void HealthPass::mark_pods(NodeRecord& record) {
  const std::size_t owner = marked_.size();
  marked_.push_back(&record);
  for (const Pod& pod : caches_.pods.by_index(kNodeIndex, record.name)) marker_.add(pod, owner);
}

void HealthPass::forget_gone(std::size_t listed) {
  if (known_ == listed && records_.size() == seen_) return;
  if (!records_.erase([this](NodeRecord& each) { return is_over(each); })) return;
  node_order_.clear();
  lease_order_.clear();
}

bool HealthPass::is_over(NodeRecord& record) {
  if (record.last_pass == pass_) return false;
  if (std::exchange(record.last_pass, 0) != 0) {
    const std::string& name = record.name;
    cluster_.events().record(Node::kResource, EventSubject{.name = name, .uid = record.uid},
                             "Normal", "RemovingNode",
                             node_event(name, "Removing Node " + name + " from Controller"));
    --known_;
    record.marks_again = false;
    if (!mutant("node-of-a-name")) record.health.reset();
    if (std::exchange(record.is_published, false)) {
      unready_.set(name, UnreadyNodes::State::kReady);
    }
  }
  zones_.forget(record);
  return record.lease_pass != pass_ && !record.is_queued;
}

void HealthPass::handle_disruption(const List<Node>& nodes) {
  const DisruptionPlan::Kind kind = zones_.judge(counts_);
  if (kind == DisruptionPlan::Kind::kNone) return;
  const Time now = cluster_.now();
  for (const Node& node : nodes) {
    NodeRecord& record = records_.of(node.name());
    if (kind == DisruptionPlan::Kind::kEnter) {
      zones_.mark_reachable(record, node);
    } else if (record.health) {
      record.health->probe = record.health->ready_transition = now;
    }
  }
}

void HealthPass::schedule() {
  const Time now = cluster_.now();
  next_ = now + options_.monitor_period;
  if (deadline_ == Time::max()) return;
  next_ = std::min(next_, std::max(deadline_ + kPastDeadline, now + kPassGap));
}

void HealthPass::write(JsonWriter& out) const {
  out.begin_object().key("nodes").begin_array();
  for (const auto& [name, record] : records_) {
    out.begin_object().member("node", name).member("uid", record.uid).member("zone", record.zone);
    out.member("known", record.last_pass != 0).member("queued", record.is_queued);
    out.member("eviction", static_cast<int>(record.eviction));
    out.member("marksAgain", record.marks_again);
    if (record.health) {
      out.key("health");
      write_health(*record.health, out);
    }
    out.end_object();
  }
  out.end_array().key("zones");
  zones_.write(out);
  out.end_object();
}

NodeRecord HealthPass::read_record(const StateFields& state) const {
  constexpr StateFields::Range kEvictions = {0, static_cast<int>(Eviction::kDone)};
  NodeRecord record;
  record.name = state.text("node");
  record.uid = state.text("uid");
  record.zone = state.text("zone");
  record.last_pass = state.boolean("known") ? pass_ : 0;
  record.is_queued = state.boolean("queued");
  record.eviction = static_cast<Eviction>(state.integer("eviction", kEvictions));
  record.marks_again = state.boolean("marksAgain");
  if (state.has("health")) record.health = read_health(state.object("health"), cluster_.now());
  return record;
}

Status HealthPass::read(std::uint32_t, Value state) {
  // Known nodes have been seen by a pass: the one before our first.
  pass_ = 1;
  Status status;
  const StateFields fields(state, status);
  NodeRecords records;
  std::size_t known = 0;
  for (const Value element : fields.array("nodes").elements()) {
    NodeRecord record = read_record(fields.element(element));
    known += record.last_pass != 0 ? 1 : 0;
    records.put(std::move(record));
  }
  zones_.read(fields, "zones");
  if (!status.ok()) return status;
  records_ = std::move(records);
  known_ = known;
  // They point into the previous records.
  node_order_.clear();
  lease_order_.clear();
  for (auto& [name, record] : records_) {
    if (record.health) publish(record);
  }
  return {};
}

}  // namespace davit::nodelifecycle
