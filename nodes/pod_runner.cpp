#include "nodes/pod_runner.hpp"

#include <algorithm>
#include <utility>

#include "nodes/pod_status.hpp"
#include "nodes/reflector.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;

constexpr Duration kFirstRetry = std::chrono::milliseconds(500);
constexpr int kDoublingsMax = 6;  // 32 s: also for what is refused as wrong and hardly gets better.

std::string target_of(const std::string& key) {
  const std::size_t slash = key.find('/');
  return "/api/v1/namespaces/" + key.substr(0, slash) + "/pods/" + key.substr(slash + 1);
}

bool host_network(const Json& pod) {
  const Json* value = pod.at({"spec", "hostNetwork"});
  return value != nullptr && value->boolean();
}

bool needs_address(PodStage stage) {
  return stage != PodStage::kBound && stage != PodStage::kCreating &&
         stage != PodStage::kPullFailed && stage != PodStage::kStopped;
}

/// Nothing of the pod uses its volumes and devices any more.
bool ends_mounts(PodStage stage) {
  return stage == PodStage::kEnded || stage == PodStage::kStopped;
}

/// A deletion that asks for it now: the server itself removes the pod, or finalizers hold it.
bool already_forced(const Json& pod) {
  const Json* grace = pod.at({"metadata", "deletionGracePeriodSeconds"});
  return grace == nullptr || grace->integer_or(0) == 0;
}

}  // namespace

PodRunner::PodRunner(Seams seams, PodDefaults defaults, PodEventSwitch events,
                     KubeletSimulator& nodes)
    : seams_(std::move(seams)),
      defaults_(std::move(defaults)),
      events_(seams_.api, seams_.clock, events),
      nodes_(nodes) {}

void PodRunner::changed(Json pod) {
  const std::string key = key_of(pod);
  const std::string& node = pod.text_at({"spec", "nodeName"});
  const auto found = pods_.find(key);
  if (found != pods_.end()) {
    if (found->second.uid == pod.text_at({"metadata", "uid"})) {
      return take(key, found->second, std::move(pod));
    }
    removed(key);
  }
  if (node.empty()) return;
  Record record;
  record.uid = pod.text_at({"metadata", "uid"});
  record.node = node;
  const Moment moment = Moment::read(seams_.clock);
  record.life = resume_life(pod, moment);
  record.ended_before = ends_mounts(record.life.stage);
  if (!host_network(pod)) record.address = pod.text_at({"status", "podIP"});
  SimulatedNode* home = nodes_.find(node);
  if (home != nullptr && home->addresses) home->addresses->hold(record.address);
  take(key, pods_.emplace(key, std::move(record)).first->second, std::move(pod));
}

void PodRunner::take(const std::string& key, Record& record, Json pod) {
  if (version_of(pod) <= record.version) return;  // Already known from the response.
  record.version = version_of(pod);
  record.life.reported = seams_.clock.now();
  pod["metadata"].erase("managedFields");
  record.text = to_text(pod);
  if (begun_) consider(key, record, pod);
}

void PodRunner::removed(const std::string& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  release(found->second);
  pods_.erase(found);
  due_.drop(key);
}

void PodRunner::release(const Record& record) {
  SimulatedNode* node = nodes_.find(record.node);
  if (node != nullptr && node->addresses) node->addresses->give_back(record.address);
  if (mounter_ != nullptr) mounter_->forget(record.node, record.uid);
  if (preparer_ != nullptr) preparer_->release(record.uid);
}

void PodRunner::wake(const std::string& key) {
  if (begun_ && pods_.contains(key)) due_.set(key, seams_.clock.now());
}

void PodRunner::begin() {
  begun_ = true;
  for (const auto& [key, record] : pods_) due_.set(key, seams_.clock.now());
}

void PodRunner::node_switched(const std::string& name) {
  SimulatedNode* node = nodes_.find(name);
  if (node == nullptr) return;
  for (auto& [key, record] : pods_) {
    if (record.node != name) continue;
    record.life.reported = seams_.clock.now();  // Nothing happens on a node that is off.
    if (node->addresses) node->addresses->hold(record.address);
    if (begun_) due_.set(key, seams_.clock.now());
  }
}

Time PodRunner::step() {
  const Time now = seams_.clock.now();
  while (const std::optional<std::string> key = due_.take(now)) {
    const auto found = pods_.find(*key);
    if (found == pods_.end()) continue;
    if (const Result<Json> pod = parse_json(found->second.text)) {
      consider(*key, found->second, *pod);
    }
  }
  return due_.next();
}

void PodRunner::consider(const std::string& key, Record& record, const Json& pod) {
  due_.drop(key);
  if (record.writing != Writing::kNothing) return;  // The response brings us back here.
  SimulatedNode* node = nodes_.find(record.node);
  if (node == nullptr || is_off(node->power)) return;
  const Moment moment = Moment::read(seams_.clock);
  PodFacts facts = pod_facts(pod, defaults_);
  add_volumes(record, pod, facts);
  add_devices(record, pod, facts);
  PodLife moved = record.life;
  advance(moved, facts, moment);
  if (needs_address(moved.stage) && !find_address(record, pod, *node)) {
    // The node has no range, or it is used up; that may change.
    return due_.set(key, moment.now + kFirstRetry * (1 << kDoublingsMax));
  }
  const PodLife before = std::exchange(record.life, moved);
  record.mounts = mounter_ != nullptr && ends_mounts(moved.stage) && !mounter_->unmount(pod);
  if (preparer_ != nullptr && ends_mounts(moved.stage)) preparer_->release(record.uid);
  const bool writes = write(key, record, pod, moment);
  events_.report(pod, before, moved);
  if (writes) return;
  due_.set(key, next_due(record.life, facts, moment.now));
}

void PodRunner::add_volumes(Record& record, const Json& pod, PodFacts& facts) {
  const PodStage stage = record.life.stage;
  const bool waits = stage == PodStage::kBound || stage == PodStage::kCreating;
  if (mounter_ == nullptr || (waits && facts.grace)) return;
  if (std::exchange(record.ended_before, false)) mounter_->adopt(pod);
  if (ends_mounts(stage)) return;
  facts.prepared =
      mounter_->mount(pod, waits ? VolumeMounter::Past::kNew : VolumeMounter::Past::kRan);
}

void PodRunner::add_devices(const Record& record, const Json& pod, PodFacts& facts) {
  const PodStage stage = record.life.stage;
  const bool waits = stage == PodStage::kBound || stage == PodStage::kCreating;
  if (preparer_ == nullptr || !waits || facts.grace) return;
  const std::optional<Time> ready = preparer_->prepare(pod);
  facts.prepared =
      ready && facts.prepared ? std::optional(std::max(*ready, *facts.prepared)) : std::nullopt;
}

bool PodRunner::find_address(Record& record, const Json& pod, SimulatedNode& node) {
  if (host_network(pod) || !record.address.empty()) return true;
  if (!node.has_network) return false;
  if (!node.addresses) return true;
  record.address = node.addresses->take();
  return !record.address.empty();
}

bool PodRunner::write(const std::string& key, Record& record, const Json& pod,
                      const Moment& moment) {
  const std::string& host_ip = nodes_.find(record.node)->internal_ip;
  const PodAddresses addresses{host_ip, host_network(pod) ? host_ip : record.address};
  if (const std::optional<Json> patch = status_patch(record.life, pod, addresses, moment)) {
    send(key, record, Writing::kStatus,
         {"PATCH", target_of(key) + "/status", to_text(*patch), kStrategic});
    return true;
  }
  if (record.life.stage != PodStage::kStopped || record.mounts || already_forced(pod)) return false;
  const Json options = Json::object({{"apiVersion", "v1"},
                                     {"kind", "DeleteOptions"},
                                     {"gracePeriodSeconds", 0},
                                     {"preconditions", Json::object({{"uid", record.uid}})}});
  send(key, record, Writing::kRemoval,
       {"DELETE", target_of(key), to_text(options), "application/json"});
  return true;
}

void PodRunner::send(const std::string& key, Record& record, Writing what, ApiCall call) {
  record.writing = what;
  seams_.api.send(std::move(call), [this, key, uid = record.uid](const ApiResponse& response) {
    written(key, uid, response);
  });
}

void PodRunner::written(const std::string& key, const std::string& uid,
                        const ApiResponse& response) {
  const auto found = pods_.find(key);
  if (found == pods_.end() || found->second.uid != uid) return;
  Record& record = found->second;
  const Writing done = std::exchange(record.writing, Writing::kNothing);
  const Time now = seams_.clock.now();
  if (response.ok()) {
    record.failures = 0;
    if (done == Writing::kRemoval) return;  // The reflector reports when it is gone.
    Result<Json> pod = parse_json(response.body);
    if (pod && version_of(*pod) > record.version) return take(key, record, std::move(*pod));
    return due_.set(key, now);
  }
  const Duration pause = kFirstRetry * (1 << std::min(record.failures, kDoublingsMax));
  ++record.failures;
  if (!response.may_pass()) {
    seams_.log.info(1, "Pod refused", {{"pod", key}, {"err", response.text()}});
  }
  due_.set(key, now + std::max(pause, response.retry_after));
}

}  // namespace davit::sandbox
