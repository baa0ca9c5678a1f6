#include "testing/explore/data_invariants.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace davit::explore {
namespace {

constexpr std::string_view kProtection = "kubernetes.io/pvc-protection";
constexpr std::string_view kVolumes = "persistentvolumes";
constexpr std::string_view kClaims = "persistentvolumeclaims";
constexpr std::string_view kAttachments = "volumeattachments";
constexpr std::string_view kPods = "pods";
constexpr std::string_view kServices = "services";

const std::string& name_of(const Json& object) { return object.text_at({"metadata", "name"}); }
const std::string& uid_of(const Json& object) { return object.text_at({"metadata", "uid"}); }

bool is_ending(const Json* object) {
  return object == nullptr || object->at({"metadata", "deletionTimestamp"}) != nullptr;
}

bool is_protected(const Json* claim) {
  const Json* const finalizers = claim == nullptr ? nullptr : claim->at({"metadata", "finalizers"});
  return finalizers != nullptr && std::ranges::any_of(finalizers->items(), [](const Json& each) {
           return each.text() == kProtection;
         });
}

bool is_owned_by(const Json& claim, const Json& pod) {
  const Json* const owners = claim.at({"metadata", "ownerReferences"});
  return owners != nullptr && std::ranges::any_of(owners->items(), [&](const Json& each) {
           return each.get("controller").boolean() && each.get("uid").text() == uid_of(pod);
         });
}

/// The addresses that a Service shows.
std::vector<std::string> addresses_of(const Json& service) {
  std::vector<std::string> out;
  const Json* const ingress = service.at({"status", "loadBalancer", "ingress"});
  if (ingress == nullptr || !ingress->is_array()) return out;
  for (const Json& each : ingress->items()) {
    if (each.at({"ip"}) != nullptr) out.push_back(each.text_at({"ip"}));
  }
  return out;
}

/// Whether a volume of the pod keeps the claim, which is of its namespace.
bool uses(const Json& pod, const Json& volume, const Json& claim) {
  if (volume.at({"ephemeral"}) == nullptr) {
    return volume.text_at({"persistentVolumeClaim", "claimName"}) == name_of(claim);
  }
  const Json* const grace = pod.at({"metadata", "deletionGracePeriodSeconds"});
  const bool is_shut_down = is_ending(&pod) && grace != nullptr && grace->text() == "0";
  return name_of(pod) + "-" + volume.get("name").text() == name_of(claim) &&
         is_owned_by(claim, pod) && !is_shut_down;
}

}  // namespace

std::string DataInvariants::take(const sandbox::Collection& place, const sandbox::Change& change,
                                 Writer by) {
  const std::string& resource = place.resource;
  if (resource != kVolumes && resource != kClaims && resource != kAttachments &&
      resource != kPods && resource != kServices) {
    return {};
  }
  Objects& objects = objects_[resource];
  const auto found = objects.try_emplace({change.object->ns, change.object->name}).first;
  const Json before = std::move(found->second);
  const Json* const old = before.is_null() ? nullptr : &before;
  const bool is_gone = change.type == sandbox::ChangeType::kDeleted;
  if (is_gone) {
    objects.erase(found);
  } else {
    found->second = change.object->json();
  }
  const Json* const now = is_gone ? nullptr : &found->second;
  if (by != Writer::kController) return {};
  if (resource == kVolumes) return judge_volume(old, now);
  if (resource == kClaims) return judge_claim(old, now);
  if (resource == kServices) return now == nullptr ? std::string() : judge_service(*now);
  return resource == kAttachments && now != nullptr ? judge_attachment(old, *now) : std::string();
}

std::string DataInvariants::judge_volume(const Json* before, const Json* after) const {
  const bool is_retained =
      before != nullptr && before->text_at({"spec", "persistentVolumeReclaimPolicy"}) == "Retain";
  if (is_retained && !is_ending(before) && is_ending(after)) {
    return "the volume " + name_of(*before) + " of the policy Retain is deleted";
  }
  if (after == nullptr) return {};
  const std::string& uid = after->text_at({"spec", "claimRef", "uid"});
  const bool is_new = before == nullptr || before->text_at({"spec", "claimRef", "uid"}) != uid;
  if (uid.empty() || !is_new) return {};
  for (const auto& [key, other] : objects_.at(std::string(kVolumes))) {
    const bool is_same = name_of(other) == name_of(*after);
    if (!is_same && other.text_at({"spec", "claimRef", "uid"}) == uid) {
      return "the volumes " + name_of(other) + " and " + name_of(*after) + " have one claim";
    }
  }
  return {};
}

std::string DataInvariants::judge_claim(const Json* before, const Json* after) const {
  if (before != nullptr && is_protected(before) && !is_protected(after)) {
    const std::string user = user_of(*before);
    if (!user.empty()) {
      return "the claim " + name_of(*before) + " loses its finalizer while the pod " + user +
             " uses it";
    }
  }
  if (after == nullptr) return {};
  const std::string& volume = after->text_at({"spec", "volumeName"});
  const bool is_new = before == nullptr || before->text_at({"spec", "volumeName"}) != volume;
  if (volume.empty() || !is_new) return {};
  for (const auto& [key, other] : objects_.at(std::string(kClaims))) {
    const bool is_same = uid_of(other) == uid_of(*after);
    if (!is_same && other.text_at({"spec", "volumeName"}) == volume) {
      return "the claims " + name_of(other) + " and " + name_of(*after) + " have the volume " +
             volume;
    }
  }
  return {};
}

std::string DataInvariants::judge_service(const Json& after) const {
  const std::vector<std::string> mine = addresses_of(after);
  if (mine.empty()) return {};
  const auto key_of = [](const Json& service) -> const std::string& {
    return service.text_at({"metadata", "annotations", "davit.dev/sharing-key"});
  };
  for (const auto& [key, other] : objects_.at(std::string(kServices))) {
    if (uid_of(other) == uid_of(after) ||
        (!key_of(after).empty() && key_of(after) == key_of(other))) {
      continue;
    }
    for (const std::string& each : addresses_of(other)) {
      if (std::ranges::find(mine, each) != mine.end()) {
        return "the Services " + name_of(other) + " and " + name_of(after) + " have the address " +
               each;
      }
    }
  }
  return {};
}

std::string DataInvariants::judge_attachment(const Json* before, const Json& after) const {
  const std::string& volume = after.text_at({"spec", "source", "persistentVolumeName"});
  if (before != nullptr || !is_for_one_node(volume)) return {};
  const std::string& node = after.text_at({"spec", "nodeName"});
  for (const auto& [key, other] : objects_.at(std::string(kAttachments))) {
    const std::string& elsewhere = other.text_at({"spec", "nodeName"});
    if (elsewhere != node && other.text_at({"spec", "source", "persistentVolumeName"}) == volume) {
      return "the volume " + volume + " is attached to " + elsewhere + " and to " + node;
    }
  }
  return {};
}

std::string DataInvariants::user_of(const Json& claim) const {
  const auto pods = objects_.find(std::string(kPods));
  if (pods == objects_.end()) return {};
  for (const auto& each_pod : pods->second) {
    const auto& key = each_pod.first;
    const Json& pod = each_pod.second;
    if (key.first != claim.text_at({"metadata", "namespace"})) continue;
    const Json* const volumes = pod.at({"spec", "volumes"});
    if (volumes == nullptr || pod.text_at({"spec", "nodeName"}).empty()) continue;
    const bool is_user = std::ranges::any_of(
        volumes->items(), [&](const Json& each) { return uses(pod, each, claim); });
    if (is_user) return key.second;
  }
  return {};
}

bool DataInvariants::is_for_one_node(const std::string& volume) const {
  const auto volumes = objects_.find(std::string(kVolumes));
  if (volumes == objects_.end()) return false;
  const auto found = volumes->second.find({"", volume});
  const Json* const modes =
      found == volumes->second.end() ? nullptr : found->second.at({"spec", "accessModes"});
  return modes != nullptr && std::ranges::none_of(modes->items(), [](const Json& each) {
           return each.text() == "ReadWriteMany" || each.text() == "ReadOnlyMany";
         });
}

}  // namespace davit::explore
