#include "nodes/scheduler.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <davit/kube/time.hpp>
#include <utility>

#include "nodes/claim_scheduling.hpp"
#include "nodes/reflector.hpp"
#include "nodes/storage_objects.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;

constexpr char kName[] = "default-scheduler";
/// kube-scheduler's back-off of a pod: 1 s to 10 s.
constexpr Duration kFirstPause = seconds(1);
constexpr Duration kLongestPause = seconds(10);
constexpr char kTakenClaim[] =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
    "in-use by another pod";
/// Until the watch shows what a refused write did not know.
constexpr Duration kClaimRetry = std::chrono::milliseconds(500);
/// Devices that must report something before a pod is bound are looked at as often as this.
constexpr Duration kBindingPeriod = std::chrono::seconds(5);
/// kube-scheduler's --bind-timeout of volumes.
constexpr Duration kBindVolumesTimeout = std::chrono::minutes(10);

std::string pod_target(const Json& pod) {
  return "/api/v1/namespaces/" + pod.text_at({"metadata", "namespace"}) + "/pods/" +
         pod.text_at({"metadata", "name"});
}

bool terminal(const Json& pod) {
  const std::string& phase = pod.text_at({"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

/// Whether the pod waits for this scheduler.
bool waits(const Json& pod) {
  const Json& spec = pod.get("spec");
  const std::string& scheduler = spec.get("schedulerName").text();
  return spec.get("nodeName").text().empty() && (scheduler.empty() || scheduler == kName) &&
         spec.get("schedulingGates").size() == 0 &&
         !pod.get("metadata").contains("deletionTimestamp") && !terminal(pod);
}

/// Whether the two versions of a pod ask for the same.
bool same_wishes(const Json& a, const Json& b) {
  const char* const claims = "resourceClaimStatuses";
  return a.get("spec") == b.get("spec") &&
         a.get("status").get(claims) == b.get("status").get(claims);
}

std::string event_name(const Json& regarding, WallTime now) {
  std::array<char, 20> suffix{};
  (void)std::snprintf(suffix.data(), suffix.size(), ".%llx",
                      static_cast<unsigned long long>(now.time_since_epoch().count()));
  return regarding.get("name").text() + suffix.data();
}

Json reference(const Json& pod) {
  const Json& metadata = pod.get("metadata");
  return Json::object({{"apiVersion", "v1"},
                       {"kind", "Pod"},
                       {"namespace", metadata.get("namespace")},
                       {"name", metadata.get("name")},
                       {"uid", metadata.get("uid")},
                       {"resourceVersion", metadata.get("resourceVersion")}});
}

}  // namespace

Scheduler::Scheduler(Seams seams) : seams_(std::move(seams)) {}

void Scheduler::node_changed(const Json& node) {
  const std::string& name = node.text_at({"metadata", "name"});
  const auto [found, is_new] = nodes_.try_emplace(name);
  const NodeCapacity before = found->second;
  NodeCapacity& capacity = found->second;
  update_capacity(capacity, node);
  if (is_new) {
    for (const auto& [key, pod] : pods_) {
      if (pod.node == name) capacity.add(pod.share);
    }
    order_.clear();
    for (const auto& [each, data] : nodes_) order_.push_back(&data);
  }
  // Heartbeats change nothing here.
  const bool helps =
      is_new || before.labels != capacity.labels || before.taints != capacity.taints ||
      before.unschedulable != capacity.unschedulable || before.pods_max != capacity.pods_max ||
      before.allocatable != capacity.allocatable;
  if (helps) cluster_changed();
}

void Scheduler::node_removed(const std::string& key) {
  nodes_.erase(key.substr(key.find('/') + 1));
  order_.clear();
  for (const auto& [name, data] : nodes_) order_.push_back(&data);
}

void Scheduler::pod_changed(const Json& pod) {
  const std::string key = key_of(pod);
  const std::string& uid = pod.text_at({"metadata", "uid"});
  const std::string& node = pod.text_at({"spec", "nodeName"});
  const auto found = pods_.find(key);
  if (found != pods_.end() && (found->second.uid != uid || terminal(pod))) forget(key);
  if (terminal(pod)) return;
  Pod& entry = pods_[key];
  entry.uid = uid;
  if (!node.empty()) {
    entry.object.reset();
    if (entry.state == State::kBound) return;
    const bool chosen = entry.is_chosen();
    release_devices(entry);
    if (!chosen || entry.node != node) {
      if (chosen) release_capacity(entry);
      entry.share = pod_share(pod);
      entry.node = node;
      reserve_capacity(entry);
    }
    entry.state = State::kBound;
    unschedulable_.erase(key);
    with_volumes_.erase(key);
    with_devices_.erase(key);
    due_.drop(key);
    return;
  }
  if (entry.state == State::kBinding) return;
  if (!waits(pod)) return forget(key);
  if (entry.is_chosen()) return;
  const bool same = entry.object != nullptr && same_wishes(*entry.object, pod);
  entry.object = std::make_unique<Json>(pod);
  (*entry.object)["metadata"].erase("managedFields");
  if (same) return;  // Most likely the echo of our own report.
  entry.device_claims.clear();
  for (PodDevices& each : pod_devices(pod)) entry.device_claims.push_back(std::move(each.claim));
  entry.share = pod_share(pod);
  entry.state = State::kPending;
  unschedulable_.erase(key);
  if (begun_) due_.set(key, seams_.clock.now());
}

void Scheduler::pod_removed(const std::string& key) { forget(key); }

void Scheduler::forget(const std::string& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  const bool held = !found->second.node.empty();
  if (held) release_capacity(found->second);
  release_devices(found->second);
  pods_.erase(found);
  unschedulable_.erase(key);
  with_volumes_.erase(key);
  with_devices_.erase(key);
  due_.drop(key);
  if (held) cluster_changed();
}

void Scheduler::reserve_capacity(const Pod& pod) {
  const auto node = nodes_.find(pod.node);
  if (node != nodes_.end()) node->second.add(pod.share);
}

void Scheduler::release_capacity(const Pod& pod) {
  const auto node = nodes_.find(pod.node);
  if (node != nodes_.end()) node->second.remove(pod.share);
}

void Scheduler::begin() {
  begun_ = true;
  for (const auto& [key, pod] : pods_) {
    if (pod.state == State::kPending) due_.set(key, seams_.clock.now());
  }
}

void Scheduler::cluster_changed() {
  for (const std::string& key : unschedulable_) try_again(key, pods_.at(key));
}

Time Scheduler::step() {
  const Time now = seams_.clock.now();
  while (const std::optional<std::string> key = due_.take(now)) {
    const auto found = pods_.find(*key);
    if (found == pods_.end() || found->second.object == nullptr) continue;
    consider(*key, found->second);
  }
  while (const std::optional<std::string> uid = reads_.take(now)) {
    const auto [write, response] = std::move(unknown_.extract(*uid).mapped());
    read_claim(write, response);
  }
  return std::min(due_.next(), reads_.next());
}

void Scheduler::try_again(const std::string& key, Pod& pod) {
  constexpr int kDoublingsMax = 4;
  const Duration pause =
      std::min(kFirstPause * (1 << std::min(pod.failures, kDoublingsMax)), kLongestPause);
  due_.set(key, pod.tried + pause);
}

void Scheduler::consider(const std::string& key, Pod& pod) {
  if (pod.state == State::kVolumes) return bind_volumes(key, pod);
  if (pod.state == State::kDevices) return bind_devices(key, pod);
  pod.tried = seams_.clock.now();
  const Choice choice = choose(pod);
  if (choice.node == nullptr) return refuse(key, pod, choice);
  unschedulable_.erase(key);
  pod.node = choice.node->name;
  reserve_capacity(pod);
  holds_.hold(pod.uid, pod.allocations);
  if (storage_ == nullptr || pod.share.claims.empty()) return bind_devices(key, pod);
  pod.state = State::kVolumes;
  with_volumes_.insert(key);
  bind_volumes(key, pod);
}

Choice Scheduler::choose(Pod& pod) {
  if (storage_ == nullptr || pod.share.claims.empty()) return choose_with_devices(pod, nullptr);
  const SchedulingClaims claims = scheduling_claims(*storage_, *pod.object);
  if (claims.refusal.empty()) {
    const bool taken = std::any_of(claims.alone.begin(), claims.alone.end(), [&](const auto& name) {
      return std::any_of(order_.begin(), order_.end(),
                         [&](const NodeCapacity* node) { return node->claims.contains(name); });
    });
    return choose_with_devices(pod, [&](const NodeCapacity& node) {
      return taken ? std::string(kTakenClaim) : volume_refusal(*storage_, claims, node);
    });
  }
  Choice none;
  none.message = refused_by_all(order_.size(), claims.refusal);
  return none;
}

void Scheduler::refuse(const std::string& key, Pod& pod, const Choice& choice) {
  pod.state = State::kUnschedulable;
  unschedulable_.insert(key);
  pod.has_missing_claims = choice.message.empty();
  if (pod.has_missing_claims) return;
  ++pod.failures;
  // A change of the cluster plans the next attempt.
  if (choice.is_error) try_again(key, pod);
  if (pod.message != choice.message) report_unschedulable(key, pod, choice);
}

void Scheduler::bind_volumes(const std::string& key, Pod& pod) {
  const SchedulingClaims claims = scheduling_claims(*storage_, *pod.object);
  const auto node = nodes_.find(pod.node);
  const Time now = seams_.clock.now();
  bool lost = false;  // A provisioner that cannot serve the node takes it off the claim.
  for (const Json* each : claims.delayed) {
    const std::string name = storage_name(*each);
    if (annotation_of(*each, kSelectedNode) == pod.node) {
      pod.claims_handed.insert(name);
    } else {
      lost = lost || pod.claims_handed.contains(name);
    }
  }
  if (node == nodes_.end() || !claims.refusal.empty() || lost ||
      now >= pod.tried + kBindVolumesTimeout ||
      !volume_refusal(*storage_, claims, node->second).empty()) {
    return give_up_node(key, pod);
  }
  if (claims.delayed.empty()) {
    with_volumes_.erase(key);
    return bind_devices(key, pod);
  }
  for (ApiCall& each : volume_writes(*storage_, claims, node->second)) {
    if (!pod.volumes_asked.insert(each.target).second) continue;
    seams_.api.send(std::move(each), [this, key, uid = pod.uid](const ApiResponse& response) {
      if (!response.ok()) refused(key, uid, response);
    });
  }
  due_.set(key, pod.tried + kBindVolumesTimeout);
}

void Scheduler::storage_changed(StorageKind kind, const std::string& name) {
  if (!begun_ || kind == StorageKind::kAttachment || kind == StorageKind::kNode) return;
  const auto uses = [&](const Pod& pod) {
    const std::vector<std::string>& claims = pod.share.claims;
    return kind != StorageKind::kClaim
               ? !claims.empty()
               : std::find(claims.begin(), claims.end(), name) != claims.end();
  };
  for (const std::string& key : with_volumes_) {
    if (uses(pods_.at(key))) due_.set(key, seams_.clock.now());
  }
  for (const std::string& key : unschedulable_) {
    if (uses(pods_.at(key))) try_again(key, pods_.at(key));
  }
}

void Scheduler::give_up_node(const std::string& key, Pod& pod) {
  release_capacity(pod);
  if (pod.state != State::kVolumes) unreserve_devices(pod);
  release_devices(pod);
  pod.node.clear();
  pod.waits_for_devices = false;
  pod.volumes_asked.clear();
  pod.claims_handed.clear();
  with_volumes_.erase(key);
  with_devices_.erase(key);
  pod.state = State::kUnschedulable;
  pod.has_missing_claims = false;
  unschedulable_.insert(key);
  pod.tried = seams_.clock.now();
  ++pod.failures;
  try_again(key, pod);
}

void Scheduler::heed(const DeviceView& devices, Take take) {
  devices_ = &devices;
  take_ = std::move(take);
}

Choice Scheduler::choose_with_devices(Pod& pod, const NodeFilter& filter) {
  const Json& spec = pod.object->get("spec");
  pod.allocations.clear();
  if (devices_ == nullptr || !pod.share.has_devices) {
    return schedule(spec, pod.share, order_, filter);
  }
  Choice none;
  DeviceClaims claims = scheduling_devices(*devices_, *pod.object, holds_.claims());
  if (!claims.is_ready) return none;
  if (!claims.refusal.empty()) {
    none.message = refused_by_all(order_.size(), claims.refusal);
    return none;
  }
  const auto is_taken = [this](const std::string& id) {
    return devices_->is_allocated(id) || holds_.has_device(id);
  };
  DeviceShares shares = devices_->shares();
  holds_.add_shares(shares);
  DeviceFit fit({*devices_, selectors_, is_taken, shares, seams_.random}, std::move(claims),
                seams_.clock.wall_now());
  const auto refusal = [&](const NodeCapacity& node) {
    std::string other = filter ? filter(node) : "";
    return other.empty() ? fit.refusal(node) : other;
  };
  Choice choice = schedule(spec, pod.share, order_, refusal,
                           [&fit](const NodeCapacity& node) { return fit.score(node); });
  if (!fit.error().empty()) {
    none.message = "running \"DynamicResources\" filter plugin: " + fit.error();
    none.is_error = true;
    return none;
  }
  if (choice.node != nullptr) {
    pod.allocations = fit.allocations(*choice.node);
    return choice;
  }
  for (const Json* claim : fit.elsewhere()) {
    std::optional<ApiCall> call = deallocate_call(*claim, *pod.object);
    if (!call) continue;
    seams_.api.send(std::move(*call), [](const ApiResponse&) {});  // The watch shows what it did.
    break;
  }
  return choice;
}

void Scheduler::release_devices(Pod& pod) {
  pod.allocations.clear();
  if (holds_.release(pod.uid)) devices_freed();
}

void Scheduler::bind_devices(const std::string& key, Pod& pod) {
  if (devices_ == nullptr || !pod.share.has_devices) return bind(key, pod);
  pod.state = State::kDevices;
  with_devices_.insert(key);
  if (pod.writes_claim) return;  // The response brings us back here.
  ClaimStep step =
      next_claim_step(*devices_, *pod.object, pod.allocations, seams_.clock.wall_now());
  switch (step.kind) {
    case ClaimStep::Kind::kDone:
      with_devices_.erase(key);
      return bind(key, pod);
    case ClaimStep::Kind::kLost:
      return give_up_node(key, pod);
    case ClaimStep::Kind::kWait:
      due_.set(key, seams_.clock.now() + kBindingPeriod);
      if (std::exchange(pod.waits_for_devices, true)) return;
      return send_event(reference(*pod.object),
                        {"Normal", "BindingConditionsPending", "Scheduling",
                         "waiting for binding conditions for device on node " + pod.node});
    case ClaimStep::Kind::kWrite:
      break;
  }
  pod.writes_claim = true;
  holds_.begin_write(pod.uid);
  seams_.api.send(std::move(step.call),
                  [this, write = ClaimWrite{key, pod.uid, std::move(step.claim)}](
                      const ApiResponse& response) { claim_written(write, response); });
}

void Scheduler::claim_written(const ClaimWrite& write, const ApiResponse& response) {
  if (response.is_uncertain()) return read_claim(write, response);
  if (response.ok()) {
    Result<Json> claim = parse_json(response.body);
    if (claim) (void)take_(std::move(*claim));
  }
  claim_known(write, response);
}

void Scheduler::read_claim(const ClaimWrite& write, const ApiResponse& response) {
  seams_.api.send(
      {"GET", device_target(DeviceKind::kClaim, write.claim), "", ""},
      [this, write, response](const ApiResponse& read) {
        if (!read.ok() && !read.is_missing()) {  // Until then, the devices may be another pod's.
          unknown_.insert_or_assign(write.uid, std::pair(write, response));
          return reads_.set(write.uid, seams_.clock.now() + kClaimRetry);
        }
        Result<Json> claim = parse_json(read.body);
        if (read.ok() && claim) (void)take_(std::move(*claim));
        claim_known(write, response);
      });
}

void Scheduler::claim_known(const ClaimWrite& write, const ApiResponse& response) {
  if (holds_.end_write(write.uid)) devices_freed();
  const auto found = pods_.find(write.key);
  if (found == pods_.end() || found->second.uid != write.uid) return;
  Pod& pod = found->second;
  pod.writes_claim = false;
  if (pod.state != State::kDevices) return;
  if (response.ok()) return due_.set(write.key, seams_.clock.now());
  if (response.is_conflict()) return due_.set(write.key, seams_.clock.now() + kClaimRetry);
  refused(write.key, write.uid, response);
}

void Scheduler::unreserve_devices(const Pod& pod) {
  if (devices_ == nullptr) return;
  for (const std::string& each : pod.device_claims) {
    const Json* const claim = devices_->find(DeviceKind::kClaim, each);
    if (claim == nullptr || !is_reserved_for(*claim, *pod.object)) continue;
    seams_.api.send(unreserve_call(*claim, *pod.object),
                    [](const ApiResponse&) {});  // The watch shows what it did.
  }
}

void Scheduler::devices_changed(DeviceKind kind, const std::string& name, DeviceChange change) {
  if (!begun_) return;
  // Without a name: all have been listed.
  const auto uses_it = [&name](const Pod& pod) {
    if (name.empty()) return true;
    return std::find(pod.device_claims.begin(), pod.device_claims.end(), name) !=
           pod.device_claims.end();
  };
  const bool helps_all = kind != DeviceKind::kClaim || change == DeviceChange::kFreed;
  for (const std::string& key : with_devices_) {
    if (uses_it(pods_.at(key))) due_.set(key, seams_.clock.now());
  }
  for (const std::string& key : unschedulable_) {
    Pod& pod = pods_.at(key);
    if (!pod.share.has_devices) continue;
    const bool may_help = helps_all || uses_it(pod);
    if (may_help && pod.has_missing_claims) {
      due_.set(key, seams_.clock.now());
    } else if (may_help) {
      try_again(key, pod);
    }
  }
}

void Scheduler::devices_freed() {
  for (const std::string& key : unschedulable_) {
    Pod& pod = pods_.at(key);
    if (pod.share.has_devices && !pod.has_missing_claims) try_again(key, pod);
  }
}

void Scheduler::bind(const std::string& key, Pod& pod) {
  pod.state = State::kBinding;
  due_.drop(key);
  const std::string node = pod.node;
  const Json& metadata = pod.object->get("metadata");
  const Json binding = Json::object(
      {{"apiVersion", "v1"},
       {"kind", "Binding"},
       {"metadata", Json::object({{"name", metadata.get("name")}, {"uid", metadata.get("uid")}})},
       {"target", Json::object({{"kind", "Node"}, {"name", node}})}});
  seams_.api.send(
      {"POST", pod_target(*pod.object) + "/binding", to_text(binding), "application/json"},
      [this, key, uid = pod.uid, regarding = reference(*pod.object),
       node](const ApiResponse& response) {
        if (!response.ok()) return refused(key, uid, response);
        send_event(regarding, {"Normal", "Scheduled", "Binding",
                               "Successfully assigned " + key + " to " + node});
      });
}

void Scheduler::refused(const std::string& key, const std::string& uid,
                        const ApiResponse& response) {
  const auto found = pods_.find(key);
  if (found == pods_.end() || found->second.uid != uid) return;
  Pod& pod = found->second;
  if (!pod.is_chosen()) return;
  seams_.log.info(1, "Cannot bind", {{"pod", key}, {"err", response.text()}});
  give_up_node(key, pod);
}

void Scheduler::report_unschedulable(const std::string& key, Pod& pod, const Choice& choice) {
  const std::string& message = choice.message;
  pod.message = message;
  const std::string now = format_time(seams_.clock.wall_now());
  const Json condition =
      Json::object({{"type", "PodScheduled"},
                    {"status", "False"},
                    {"reason", choice.is_error ? "SchedulerError" : "Unschedulable"},
                    {"message", message},
                    {"lastTransitionTime", now}});
  const Json patch =
      Json::object({{"metadata", Json::object({{"uid", pod.uid}})},
                    {"status", Json::object({{"conditions", Json::array({condition})}})}});
  seams_.api.send({"PATCH", pod_target(*pod.object) + "/status", to_text(patch), kStrategic},
                  [this, key](const ApiResponse& response) {
                    if (response.ok()) return;
                    const auto found = pods_.find(key);
                    if (found != pods_.end()) found->second.message.clear();
                  });
  send_event(reference(*pod.object), {"Warning", "FailedScheduling", "Scheduling", message});
}

void Scheduler::send_event(const Json& regarding, const Report& report) {
  const WallTime now = seams_.clock.wall_now();
  const std::string& ns = regarding.get("namespace").text();
  const Json event = Json::object(
      {{"apiVersion", "events.k8s.io/v1"},
       {"kind", "Event"},
       {"metadata", Json::object({{"name", event_name(regarding, now)}, {"namespace", ns}})},
       {"eventTime", format_micro_time(now)},
       {"reportingController", kName},
       {"reportingInstance", std::string(kName) + "-davit"},
       {"action", report.action},
       {"reason", report.reason},
       {"regarding", regarding},
       {"note", report.note},
       {"type", report.type}});
  seams_.api.send({"POST", "/apis/events.k8s.io/v1/namespaces/" + ns + "/events", to_text(event),
                   "application/json"},
                  [](const ApiResponse&) {});  // Events are for people; a lost one is no harm.
}

}  // namespace davit::sandbox
