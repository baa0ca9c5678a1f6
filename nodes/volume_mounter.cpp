#include "nodes/volume_mounter.hpp"

#include <algorithm>
#include <utility>

#include "nodes/pod_settings.hpp"
#include "nodes/reflector.hpp"
#include "nodes/storage_objects.hpp"

namespace davit::sandbox {
namespace {

/// The time after which a kubelet reports that volumes are missing (podAttachAndMountTimeout).
constexpr Duration kMountTimeout = std::chrono::seconds(123);

/// Nothing: as the annotation requests, never.
std::optional<Duration> time_to_unmount(const Json& pod) {
  if (annotation_of(pod, annotation::kUnmount) == "never") return std::nullopt;
  return annotated_seconds(pod, annotation::kUnmountSeconds).value_or(Duration{0});
}

/// "[a b]"
std::string list_of(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  std::string out;
  for (const std::string& each : names) out += (out.empty() ? "" : " ") + each;
  return "[" + out + "]";
}

bool is_stopped(const SimulatedNode& node) { return is_off(node.power); }

}  // namespace

VolumeMounter::VolumeMounter(Seams seams, const StorageView& view, KubeletSimulator& nodes,
                             WakePod wake)
    : seams_(seams), view_(view), nodes_(nodes), wake_(std::move(wake)) {}

std::optional<Time> VolumeMounter::mount(const Json& pod, Past past) {
  if (pod_claims(pod).empty()) return Time::min();
  const std::string& node = pod.text_at({"spec", "nodeName"});
  const Time now = seams_.clock.now();
  const auto [found, is_new] = mounts_[node].try_emplace(pod.text_at({"metadata", "uid"}));
  Mounts& mounts = found->second;
  if (is_new) mounts.late = now + kMountTimeout;
  mounts.pod = key_of(pod);
  mounts.takes = time_to_unmount(pod);
  if (mounts.stage == Stage::kMounted) return mounts.since;
  if (mounts.stage == Stage::kUnmounting) return std::nullopt;
  resolve(pod, mounts, past);
  dirty_.insert(node);
  const bool attached = std::all_of(mounts.volumes.begin(), mounts.volumes.end(),
                                    [&](const Volume& each) { return is_attached_to(node, each); });
  const bool ran = past == Past::kRan;
  if (!ran && (!attached || !annotation_of(pod, annotation::kMount).empty())) {
    wait(pod, mounts);
    return std::nullopt;
  }
  stop_waiting(mounts);
  mounts.stage = Stage::kMounted;
  mounts.since = now;
  if (!ran) {
    mounts.since += annotated_seconds(pod, annotation::kMountSeconds).value_or(Duration{0});
  }
  return mounts.since;
}

void VolumeMounter::resolve(const Json& pod, Mounts& mounts, Past past) const {
  mounts.claims.clear();
  mounts.volumes.clear();
  for (const PodClaim& each : pod_claims(pod)) {
    mounts.claims.push_back(each.name);
    const Json* const claim = find_claim(view_, each, pod);
    const Json* const volume =
        claim == nullptr ? nullptr
                         : view_.find(StorageKind::kVolume, claim->text_at({"spec", "volumeName"}));
    const bool bound = volume != nullptr && belongs_to(*volume, *claim) && is_bound(*claim);
    // The deletion of a claim is no reason to unmount.
    if (bound && (past == Past::kRan || !is_deleting(*claim))) {
      mounts.volumes.push_back(
          {each.volume, attachable_name(view_, *volume), storage_name(*volume)});
    } else {
      mounts.volumes.push_back({each.volume, "", ""});
    }
  }
}

void VolumeMounter::adopt(const Json& pod) {
  const std::string& node = pod.text_at({"spec", "nodeName"});
  const SimulatedNode* const home = nodes_.find(node);
  if (home == nullptr) return;
  Mounts mounts;
  mounts.pod = key_of(pod);
  mounts.stage = Stage::kMounted;
  mounts.since = seams_.clock.now();
  resolve(pod, mounts, Past::kRan);
  const bool mounted =
      std::any_of(mounts.volumes.begin(), mounts.volumes.end(),
                  [&](const Volume& each) { return home->reported_volumes.contains(each.listed); });
  if (mounted) mounts_[node].try_emplace(pod.text_at({"metadata", "uid"}), std::move(mounts));
}

bool VolumeMounter::is_attached_to(const std::string& node, const Volume& volume) const {
  if (volume.listed.empty()) return !volume.object.empty();
  const SimulatedNode* const home = nodes_.find(node);
  const Json* const object = view_.find(StorageKind::kVolume, volume.object);
  return home != nullptr && object != nullptr && home->reported_volumes.contains(volume.listed) &&
         home->attached_volumes.contains(volume.listed) && is_attached(view_, *object, node);
}

void VolumeMounter::wait(const Json& pod, Mounts& mounts) {
  const std::string& node = pod.text_at({"spec", "nodeName"});
  for (const std::string& claim : mounts.claims) waiting_[claim].insert(mounts.pod);
  std::vector<std::string> all;
  std::vector<std::string> unattached;
  std::vector<std::string> unknown;
  for (const Volume& each : mounts.volumes) {
    all.push_back(each.name);
    if (is_attached_to(node, each)) continue;
    (each.object.empty() ? unknown : unattached).push_back(each.name);
  }
  const bool can_mount = unattached.empty() && unknown.empty();
  if (can_mount && annotation_of(pod, annotation::kMount) == "fail") {
    const std::string failure = "MountVolume.SetUp failed for volume \"" +
                                mounts.volumes.front().object + "\" : " + kAnnotatedFailure;
    if (std::exchange(mounts.failure, failure) != failure) report(pod, failure);
  }
  const Time now = seams_.clock.now();
  if (now >= mounts.late) {
    mounts.late = now + kMountTimeout;
    report(pod, "Unable to attach or mount volumes: unmounted volumes=" + list_of(all) +
                    ", unattached volumes=" + list_of(unattached) + ", failed to process volumes=" +
                    list_of(unknown) + ": context deadline exceeded");
  }
  due_.set(node + "/" + pod.text_at({"metadata", "uid"}), mounts.late);
}

void VolumeMounter::report(const Json& pod, const std::string& message) {
  const StorageEvent event{"kubelet", "Warning", "FailedMount", message};
  seams_.api.send(
      {"POST", event_target(pod), to_text(event_body("Pod", pod, event, seams_.clock.wall_now())),
       "application/json"},
      [](const ApiResponse&) {});  // Events are for people; a lost one is no harm.
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
  const Time now = seams_.clock.now();
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
  due_.set(node + "/" + uid, seams_.clock.now());
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
    if (mounts.gone) due_.set(node + "/" + uid, seams_.clock.now());
  }
}

Time VolumeMounter::step() {
  const Time now = seams_.clock.now();
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
        for (const Volume& each : mounts.volumes) {
          if (!each.listed.empty()) in_use.insert(each.listed);
        }
      }
      nodes_.report_volumes(*each, std::move(in_use));
    }
    each = dirty_.erase(each);
  }
}

}  // namespace davit::sandbox
