#include "nodes/kubelet_simulator.hpp"

#include <algorithm>
#include <utility>

#include "lib/kube/condition_status.hpp"
#include "nodes/reflector.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;

/// Between attempts after a failure; the kubelet asks again as soon.
constexpr Duration kRetry = seconds(1);
constexpr char kNodes[] = "/api/v1/nodes";
constexpr char kLeases[] = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

std::string node_target(const std::string& name) { return std::string(kNodes) + "/" + name; }

/// 10.244.0.0/24 and the ranges behind it: apart from the usual ranges of Services.
std::string pod_cidr(std::size_t index) {
  return "10." + std::to_string(244 + index / 256) + "." + std::to_string(index % 256) + ".0/24";
}

std::string internal_ip(std::size_t index) {
  constexpr std::size_t kHosts = 250;
  return "172.18." + std::to_string(index / kHosts) + "." + std::to_string(index % kHosts + 2);
}

/// The address from an earlier run; "" if there was none.
std::string reported_ip(const Json& node) {
  for (const Json& each : node.get("status").get("addresses").items()) {
    if (each.get("type").text() == "InternalIP") return each.get("address").text();
  }
  return "";
}

bool is_ready(const Json& node) { return condition_status(node, "Ready") == "True"; }

}  // namespace

std::vector<NodePlan> plan_nodes(const std::string& prefix, int count, int zones) {
  constexpr int kZonesMax = 26;
  std::vector<NodePlan> plans;
  for (int i = 0; i < std::min(count, kNodesMax); ++i) {
    NodePlan plan;
    plan.name = prefix + "-" + std::to_string(i + 1);
    if (zones > 0) {
      plan.region = "sandbox";
      plan.zone = std::string("zone-") + static_cast<char>('a' + i % std::min(zones, kZonesMax));
    }
    plan.pod_cidr = pod_cidr(static_cast<std::size_t>(i));
    plans.push_back(std::move(plan));
  }
  return plans;
}

KubeletSimulator::KubeletSimulator(Seams seams, KubeletSimulatorOptions options, OnPower on_power,
                                   OnVolumes on_volumes)
    : seams_(std::move(seams)),
      options_(std::move(options)),
      on_power_(std::move(on_power)),
      on_volumes_(std::move(on_volumes)) {
  for (std::size_t i = 0; i < options_.plans.size(); ++i) {
    to_register_.emplace_back(seams_.clock.now(), i);
  }
}

SimulatedNode* KubeletSimulator::find(const std::string& name) {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : &found->second.simulated;
}

void KubeletSimulator::register_node(std::size_t plan) {
  NodePlan node = options_.plans[plan];
  if (options_.pod_ranges == PodRanges::kFromCluster) node.pod_cidr.clear();
  seams_.api.send(
      {"POST", kNodes, to_text(new_node(node, options_.size, options_.cloud)), "application/json"},
      [this, plan](const ApiResponse& response) {
        const std::string& name = options_.plans[plan].name;
        if (response.ok()) {
          fresh_.insert(name);
          if (Result<Json> made = parse_json(response.body)) changed(std::move(*made));
        } else if (!response.is_conflict()) {
          seams_.log.warning("Cannot register a node", {{"node", name}, {"err", response.text()}});
          to_register_.emplace_back(seams_.clock.now() + kRetry, plan);
        } else {
          fresh_.insert(name);  // An earlier run may have ended before it was ready.
          if (nodes_.contains(name)) due_.set(name, seams_.clock.now());
        }
      });
}

void KubeletSimulator::changed(Json node) {
  const std::string name = node.text_at({"metadata", "name"});
  const std::optional<NodePower> power = power_of(node);
  const auto found = nodes_.find(name);
  if (!power) {
    if (found != nodes_.end()) removed("/" + name);
    return;
  }
  node["metadata"].erase("managedFields");
  if (found == nodes_.end()) return adopt(name, std::move(node), *power);
  Record& record = found->second;
  if (record.node.text_at({"metadata", "uid"}) != node.text_at({"metadata", "uid"})) {
    removed("/" + name);
    return adopt(name, std::move(node), *power);
  }
  if (version_of(node) <= record.version) return;
  record.version = version_of(node);
  record.node = std::move(node);
  follow_address(record);
  if (read_volumes(record)) on_volumes_(name);
  if (!record.simulated.has_network) {
    connect(record);
    if (record.simulated.has_network) on_power_(name);
  }
  if (record.simulated.power != *power) {
    seams_.log.info(0, "Node switched", {{"node", name}, {"to", name_of(*power)}});
    record.simulated.power = *power;
    record.lease_due = seams_.clock.now();
    record.lease.reset();  // Another writer was faster: read it again.
    on_power_(name);
  }
  due_.set(name, seams_.clock.now());
}

void KubeletSimulator::adopt(const std::string& name, Json node, NodePower power) {
  Record record;
  record.version = version_of(node);
  record.simulated.power = power;
  record.simulated.internal_ip = reported_ip(node);
  if (record.simulated.internal_ip.empty()) record.simulated.internal_ip = free_address();
  addresses_.insert(record.simulated.internal_ip);
  record.node = std::move(node);
  (void)read_volumes(record);
  connect(record);
  const Time now = seams_.clock.now();
  record.status_due = now;
  record.lease_due = now;
  nodes_.emplace(name, std::move(record));
  due_.set(name, now);
  on_power_(name);
}

void KubeletSimulator::follow_address(Record& record) {
  std::string reported = reported_ip(record.node);
  std::string& own = record.simulated.internal_ip;
  if (options_.cloud == CloudSwitch::kOff || reported.empty() || reported == own) return;
  addresses_.erase(own);
  own = std::move(reported);
  addresses_.insert(own);
}

void KubeletSimulator::connect(Record& record) const {
  const std::string& cidr = record.node.text_at({"spec", "podCIDR"});
  record.simulated.has_network = !cidr.empty() || options_.pod_ranges == PodRanges::kOwn;
  if (!record.simulated.has_network) return;
  record.simulated.addresses =
      AddressPool::make(cidr.empty() ? pod_cidr(nodes_.size() % kNodesMax) : cidr);
}

bool KubeletSimulator::read_volumes(Record& record) {
  SimulatedNode& node = record.simulated;
  const std::set<std::string> reported =
      std::exchange(node.reported_volumes, volumes_in_use(record.node));
  const std::set<std::string> attached =
      std::exchange(node.attached_volumes, volumes_attached(record.node));
  return reported != node.reported_volumes || attached != node.attached_volumes;
}

void KubeletSimulator::report_volumes(const std::string& node, std::set<std::string> in_use) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  found->second.simulated.volumes_in_use = std::move(in_use);
  if (!volumes_hold(found->second.node, report_of(found->second))) {
    due_.set(node, seams_.clock.now());
  }
}

void KubeletSimulator::removed(const std::string& key) {
  const std::string name = key.substr(key.find('/') + 1);
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  addresses_.erase(found->second.simulated.internal_ip);
  nodes_.erase(found);
  due_.drop(name);
  fresh_.erase(name);
  on_power_(name);
}

std::string KubeletSimulator::free_address() {
  std::size_t index = 0;
  while (addresses_.contains(internal_ip(index))) ++index;
  return internal_ip(index);
}

Time KubeletSimulator::step() {
  const Time now = seams_.clock.now();
  Time next = Time::max();
  std::vector<std::pair<Time, std::size_t>> plans;
  plans.swap(to_register_);
  for (const auto& [due, plan] : plans) {
    if (due > now) {
      to_register_.emplace_back(due, plan);
      next = std::min(next, due);
    } else {
      register_node(plan);
    }
  }
  while (const std::optional<std::string> name = due_.take(now)) {
    const auto found = nodes_.find(*name);
    if (found != nodes_.end()) tend(*name, found->second);
  }
  return std::min(next, due_.next());
}

NodeReport KubeletSimulator::report_of(const Record& record) const {
  return {record.simulated.internal_ip, record.simulated.power, options_.size,
          record.simulated.has_network, options_.cloud,         record.simulated.volumes_in_use};
}

void KubeletSimulator::tend(const std::string& name, Record& record) {
  if (is_off(record.simulated.power)) return;
  const Moment moment = Moment::read(seams_.clock);
  if (!record.renewing && moment.now >= record.lease_due) renew(name, record);
  if (record.doing == Doing::kNothing) {
    const NodeReport node_report = report_of(record);
    if (moment.now >= record.status_due || !conditions_hold(record.node, node_report) ||
        !volumes_hold(record.node, node_report)) {
      report(name, record, node_status_patch(record.node, node_report, moment), Doing::kStatus);
    } else if (options_.untaint == Untaint::kWhenReady && fresh_.contains(name) &&
               is_ready(record.node)) {
      const std::optional<Json> patch = untaint_patch(record.node);
      if (patch) report(name, record, *patch, Doing::kUntaint);
      if (!patch) fresh_.erase(name);
    }
  }
  plan_next(name, record);
}

void KubeletSimulator::plan_next(const std::string& name, const Record& record) {
  Time next = Time::max();
  if (!record.renewing) next = record.lease_due;
  if (record.doing == Doing::kNothing) next = std::min(next, record.status_due);
  due_.set(name, next);
}

void KubeletSimulator::report(const std::string& name, Record& record, const Json& patch,
                              Doing doing) {
  record.doing = doing;
  const bool status = doing == Doing::kStatus;
  seams_.api.send({"PATCH", node_target(name) + (status ? "/status" : ""), to_text(patch),
                   status ? kStrategic : kMerge},
                  [this, name](const ApiResponse& response) { reported(name, response); });
}

void KubeletSimulator::reported(const std::string& name, const ApiResponse& response) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  Record& record = found->second;
  const Doing done = std::exchange(record.doing, Doing::kNothing);
  const Time now = seams_.clock.now();
  if (response.ok()) {
    if (done == Doing::kStatus) record.status_due = now + options_.status_period;
    if (Result<Json> node = parse_json(response.body)) changed(std::move(*node));
    return;
  }
  if (response.is_conflict() || response.is_missing()) {
    // Somebody was faster: the reflector reports what there is now. In case it already has:
    due_.set(name, now + kRetry);
    return;
  }
  seams_.log.info(1, "Cannot report a node", {{"node", name}, {"err", response.text()}});
  record.status_due = std::max(record.status_due, now + std::max(kRetry, response.retry_after));
  plan_next(name, record);
}

void KubeletSimulator::renew(const std::string& name, Record& record) {
  record.renewing = true;
  const Moment moment = Moment::read(seams_.clock);
  ApiCall call{"GET", std::string(kLeases) + "/" + name, "", "application/json"};
  if (record.lease && record.lease->contains("spec")) {
    call.method = "PUT";
    call.body = to_text(renewed(*record.lease, moment));
  } else if (record.lease) {  // Known to be missing.
    call.method = "POST";
    call.target = kLeases;
    call.body = to_text(new_lease(record.node, moment));
  }
  seams_.api.send(std::move(call),
                  [this, name](const ApiResponse& response) { lease_renewed(name, response); });
}

void KubeletSimulator::lease_renewed(const std::string& name, const ApiResponse& response) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  Record& record = found->second;
  record.renewing = false;
  const Time now = seams_.clock.now();
  const bool was_read = !record.lease.has_value();
  record.lease_due = now;  // Go on at once, unless something below says otherwise.
  if (response.ok()) {
    Result<Json> lease = parse_json(response.body);
    if (lease) record.lease = std::move(*lease);
    // Spread, so that a thousand nodes do not renew at one moment.
    if (!was_read) {
      record.lease_due = now + seams_.random.jitter(options_.lease_period * 3 / 4, 1.0 / 3);
    }
  } else if (response.is_missing() && was_read) {
    record.lease = Json::object();
  } else if (response.is_conflict() || response.is_missing()) {
    record.lease.reset();
  } else {
    record.lease_due = now + std::max(kRetry, response.retry_after);
  }
  plan_next(name, record);
}

}  // namespace davit::sandbox
