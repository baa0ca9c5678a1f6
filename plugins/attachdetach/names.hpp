/// Names of labels, taints and views of Nodes. Rule: docs/spec/attachdetach.md, 1.
#pragma once

#include <davit/kube/node.hpp>
#include <set>
#include <string>
#include <string_view>

namespace davit::attachdetach {

inline constexpr std::string_view kManaged =
    "volumes.kubernetes.io/controller-managed-attach-detach";
inline constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";
/// The index of pods by node.
inline constexpr std::string_view kByNode = "node";
/// The index of attachments by PersistentVolume.
inline constexpr std::string_view kByVolume = "volume";

[[nodiscard]] inline bool is_out_of_service(const Node& node) {
  for (const Value each : node.taints().elements()) {
    if (each[&Names::key].string() == kOutOfService) return true;
  }
  return false;
}

/// The volumes that the kubelet has mounted, or is about to mount.
[[nodiscard]] inline std::set<std::string, std::less<>> in_use_on(const Node& node) {
  std::set<std::string, std::less<>> out;
  for (const Value each : node.status()["volumesInUse"].elements()) out.emplace(each.string());
  return out;
}

/// The volumes that the kubelet may mount.
[[nodiscard]] inline std::set<std::string, std::less<>> attached_on(const Node& node) {
  std::set<std::string, std::less<>> out;
  for (const Value each : node.status()["volumesAttached"].elements()) {
    out.emplace(each[&Names::name].string());
  }
  return out;
}

}  // namespace davit::attachdetach
