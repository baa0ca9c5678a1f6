#include "plugins/selinuxwarning/conflicts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>

namespace davit::selinuxwarning {
namespace {

constexpr std::string_view kEnd =
    ". If both pods land on the same node, only one of them may access the volume.";
constexpr std::size_t kLevel = 3;

/// User, role, type and level.
std::array<std::string_view, kLevel + 1> parts_of(std::string_view label) {
  std::array<std::string_view, kLevel + 1> out;
  for (std::size_t i = 0; i < kLevel; ++i) {
    const std::size_t colon = label.find(':');
    out[i] = label.substr(0, colon);
    if (colon == std::string_view::npos) return out;
    label.remove_prefix(colon + 1);
  }
  out[kLevel] = label;
  return out;
}

std::string_view text_of(ChangePolicy policy) {
  return policy == ChangePolicy::kRecursive ? "Recursive" : "MountOption";
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

/// Appends both sides.
template <typename Put>
void put_both(const Conflict& conflict, const Put& put) {
  put(conflict);
  put(Conflict{conflict.property, conflict.other, conflict.other_value, conflict.pod,
               conflict.value});
}

/// Calls `put(Conflict)` for each conflict between a pod's mount of a volume and those of others.
template <typename Users, typename Put>
void compare(const Key& pod, const Users& users, const Put& put) {
  const auto own = users.find(pod);
  if (own == users.end()) return;
  const auto& mount = own->second;
  for (const auto& entry : users) {
    if (entry.first == pod) continue;
    const auto& other = entry.second;
    if (mount.policy != other.policy) {
      put_both({Property::kChangePolicy, pod, std::string(text_of(mount.policy)), entry.first,
                std::string(text_of(other.policy))},
               put);
    }
    if (labels_conflict(mount.label, other.label)) {
      put_both({Property::kLabel, pod, mount.label, entry.first, other.label}, put);
    }
  }
}

}  // namespace

std::string_view name_of(Property property) {
  return property == Property::kLabel ? "SELinuxLabel" : "SELinuxChangePolicy";
}

std::string_view reason_of(Property property) {
  return property == Property::kLabel ? "SELinuxLabelConflict" : "SELinuxChangePolicyConflict";
}

std::string message_of(const Conflict& conflict) {
  const std::string name(name_of(conflict.property));
  const std::string own = quoted(conflict.value);
  constexpr std::string_view kVolume = " that uses the same volume as this pod with ";
  if (conflict.pod.ns == conflict.other.ns) {
    return name + " " + own + " conflicts with pod " + conflict.other.name + std::string(kVolume) +
           name + " " + quoted(conflict.other_value) + std::string(kEnd);
  }
  return name + own + " conflicts with another pod" + std::string(kVolume) + "a different " + name +
         std::string(kEnd);
}

bool labels_conflict(std::string_view a, std::string_view b) {
  const auto left = parts_of(a);
  const auto right = parts_of(b);
  for (std::size_t i = 0; i < kLevel; ++i) {
    if (!left[i].empty() && !right[i].empty() && left[i] != right[i]) return true;
  }
  return left[kLevel] != right[kLevel];
}

Changes ConflictLedger::replace(const Key& pod, const std::vector<Use>& uses) {
  const std::set<Conflict> before = conflicts_of(pod);
  std::map<std::string, Mount> old;
  if (const auto known = pods_.find(pod); known != pods_.end()) {
    for (const std::string& each : known->second) old.emplace(each, volumes_[each][pod]);
  }
  remove(pod);
  Changes out;
  for (const Use& each : uses) {
    const Mount mount{each.label, each.policy};
    Users& users = volumes_[each.volume];
    // Two volumes of a pod may be one: the last one counts.
    if (users.insert_or_assign(pod, mount).second) pods_[pod].push_back(each.volume);
    const auto was = old.find(each.volume);
    if (was != old.end() && was->second == mount) continue;
    compare(pod, users, [&out](const Conflict& conflict) { out.to_report.push_back(conflict); });
  }
  const std::set<Conflict> after = conflicts_of(pod);
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(out.begun));
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::back_inserter(out.ended));
  return out;
}

void ConflictLedger::remove(const Key& pod) {
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return;
  for (const std::string& each : found->second) {
    const auto users = volumes_.find(each);
    users->second.erase(pod);
    if (users->second.empty()) volumes_.erase(users);
  }
  pods_.erase(found);
}

std::set<Conflict> ConflictLedger::conflicts_of(const Key& pod) const {
  std::set<Conflict> out;
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return out;
  for (const std::string& each : found->second) {
    compare(pod, volumes_.at(each), [&out](const Conflict& conflict) { out.insert(conflict); });
  }
  return out;
}

}  // namespace davit::selinuxwarning
