#include "sandbox/nodes/volume_mounter.hpp"

#include <algorithm>
#include <utility>

#include "sandbox/nodes/pod_settings.hpp"
#include "sandbox/nodes/reflector.hpp"

namespace davit::sandbox {
namespace {

/// Nothing: as the annotation requests, never.
std::optional<Duration> time_to_unmount(const Json& pod) {
  if (annotation_of(pod, annotation::kUnmount) == "never") return std::nullopt;
  return annotated_seconds(pod, annotation::kUnmountSeconds).value_or(Duration{0});
}

bool is_stopped(const SimulatedNode& node) { return node.power == NodePower::kStopped; }

}  // namespace

VolumeMounter::VolumeMounter(const StorageView& view, KubeletSimulator& nodes, Clock& clock,
                             WakePod wake)
    : view_(view), nodes_(nodes), clock_(clock), wake_(std::move(wake)) {}

std::optional<Time> VolumeMounter::mount(const Json& pod, Past past) {
  if (pod_claims(pod).empty()) return Time::min();
  const std::string& node = pod.text_at({"spec", "nodeName"});
  Mounts& mounts = mounts_[node][pod.text_at({"metadata", "uid"})];
  mounts.pod = key_of(pod);
  mounts.takes = time_to_unmount(pod);
  if (mounts.stage == Stage::kMounted) return mounts.since;
  if (mounts.stage == Stage::kUnmounting) return std::nullopt;
  const std::set<std::string> before = std::exchange(mounts.volumes, {});
  const bool resolved = resolve(pod, mounts);
  if (mounts.volumes != before) dirty_.insert(node);
  const bool ran = past == Past::kRan;
  if (!ran && !(resolved && all_attached(node, mounts))) {
    for (const std::string& claim : mounts.claims) waiting_[claim].insert(mounts.pod);
    return std::nullopt;
  }
  stop_waiting(mounts);
  mounts.stage = Stage::kMounted;
  mounts.since = clock_.now();
  if (!ran) {
    mounts.since += annotated_seconds(pod, annotation::kMountSeconds).value_or(Duration{0});
  }
  return mounts.since;
}

bool VolumeMounter::resolve(const Json& pod, Mounts& mounts) const {
  bool complete = true;
  mounts.claims.clear();
  mounts.to_attach.clear();
  for (const PodClaim& each : pod_claims(pod)) {
    mounts.claims.push_back(each.name);
    const Json* const claim = find_claim(view_, each, pod);
    const Json* const volume =
        claim == nullptr ? nullptr
                         : view_.find(StorageKind::kVolume, claim->text_at({"spec", "volumeName"}));
    if (volume == nullptr || !belongs_to(*volume, *claim) || !is_bound(*claim) ||
        is_deleting(*claim)) {
      complete = false;
      continue;
    }
    std::string name = attachable_name(view_, *volume);
    if (name.empty()) continue;
    mounts.volumes.insert(std::move(name));
    mounts.to_attach.push_back(storage_name(*volume));
  }
  return complete;
}

bool VolumeMounter::all_attached(const std::string& node, const Mounts& mounts) const {
  const SimulatedNode* const home = nodes_.find(node);
  if (home == nullptr) return false;
  const auto listed = [&](const std::string& name) {
    return home->reported_volumes.contains(name) && home->attached_volumes.contains(name);
  };
  const auto attached = [&](const std::string& name) {
    const Json* const volume = view_.find(StorageKind::kVolume, name);
    return volume != nullptr && is_attached(view_, *volume, node);
  };
  return std::all_of(mounts.volumes.begin(), mounts.volumes.end(), listed) &&
         std::all_of(mounts.to_attach.begin(), mounts.to_attach.end(), attached);
}

void VolumeMounter::stop_waiting(const Mounts& mounts) {
  for (const std::string& claim : mounts.claims) {
    const auto found = waiting_.find(claim);
    if (found == waiting_.end()) continue;
    found->second.erase(mounts.pod);
    if (found->second.empty()) waiting_.erase(found);
  }
}

bool VolumeMounter::unmount(const Json& pod) {
  const std::string& node = pod.text_at({"spec", "nodeName"});
  const std::string& uid = pod.text_at({"metadata", "uid"});
  const auto of_node = mounts_.find(node);
  if (of_node == mounts_.end()) return true;
  const auto found = of_node->second.find(uid);
  if (found == of_node->second.end()) return true;
  found->second.takes = time_to_unmount(pod);
  return finish(node, uid);
}

bool VolumeMounter::finish(const std::string& node, const std::string& uid) {
  OfNode& of_node = mounts_.at(node);
  Mounts& mounts = of_node.at(uid);
  const Time now = clock_.now();
  if (mounts.stage == Stage::kWanted) mounts.takes = Duration{0};  // Nothing was mounted.
  if (mounts.stage != Stage::kUnmounting) {
    stop_waiting(mounts);
    mounts.stage = Stage::kUnmounting;
    mounts.since = now;
  }
  if (!mounts.takes) return false;
  const Time end = mounts.since + *mounts.takes;
  if (now < end) {
    due_.set(node + "/" + uid, end);
    return false;
  }
  due_.drop(node + "/" + uid);
  of_node.erase(uid);
  dirty_.insert(node);
  return true;
}

void VolumeMounter::forget(const std::string& node, const std::string& uid) {
  const auto of_node = mounts_.find(node);
  if (of_node == mounts_.end()) return;
  const auto found = of_node->second.find(uid);
  if (found == of_node->second.end()) return;
  found->second.gone = true;
  due_.set(node + "/" + uid, clock_.now());
}

void VolumeMounter::changed(StorageKind kind, const Json& object) {
  std::string claim;
  if (kind == StorageKind::kClaim) {
    claim = storage_name(object);
  } else if (kind == StorageKind::kVolume) {
    claim = claim_of(object);
  } else if (kind == StorageKind::kAttachment) {
    const std::string& name = object.text_at({"spec", "source", "persistentVolumeName"});
    const Json* const volume = view_.find(StorageKind::kVolume, name);
    if (volume != nullptr) claim = claim_of(*volume);
  }
  const auto found = waiting_.find(claim);
  if (found == waiting_.end()) return;
  for (const std::string& pod : found->second) wake_(pod);
}

void VolumeMounter::node_changed(const std::string& node) {
  dirty_.insert(node);
  const auto of_node = mounts_.find(node);
  if (of_node == mounts_.end()) return;
  for (const auto& [uid, mounts] : of_node->second) {
    if (mounts.stage == Stage::kWanted) wake_(mounts.pod);
    if (mounts.gone) due_.set(node + "/" + uid, clock_.now());
  }
}

Time VolumeMounter::step() {
  const Time now = clock_.now();
  while (const std::optional<std::string> id = due_.take(now)) {
    const std::size_t slash = id->find('/');
    const std::string node = id->substr(0, slash);
    const std::string uid = id->substr(slash + 1);
    const auto of_node = mounts_.find(node);
    if (of_node == mounts_.end()) continue;
    const auto found = of_node->second.find(uid);
    if (found == of_node->second.end()) continue;
    const SimulatedNode* const home = nodes_.find(node);
    if (!found->second.gone) {
      wake_(found->second.pod);
    } else if (home != nullptr && !is_stopped(*home)) {
      (void)finish(node, uid);
    }
  }
  if (begun_) publish();
  return due_.next();
}

void VolumeMounter::publish() {
  for (auto each = dirty_.begin(); each != dirty_.end();) {
    const SimulatedNode* const home = nodes_.find(*each);
    if (home != nullptr && is_stopped(*home)) {  // Its lists stay as they are.
      ++each;
      continue;
    }
    if (home == nullptr) {
      mounts_.erase(*each);  // The mounts are gone with the machine.
    } else {
      std::set<std::string> in_use;
      for (const auto& [uid, mounts] : mounts_[*each]) {
        in_use.insert(mounts.volumes.begin(), mounts.volumes.end());
      }
      nodes_.report_volumes(*each, std::move(in_use));
    }
    each = dirty_.erase(each);
  }
}

}  // namespace davit::sandbox
