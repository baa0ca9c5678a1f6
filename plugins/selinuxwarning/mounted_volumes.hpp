/// The volumes that a pod's containers mount, and the SELinux labels that they mount them with.
/// Pure. Rules: docs/spec/cluster-controllers.md, E3.
#pragma once

#include <davit/kube/pod.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace davit::selinuxwarning {

/// The labels of the containers that mount each of the pod's volumes; keys: names of the pod's
/// volumes. A container without options has none, one with empty options the empty label.
using MountLabels = std::map<std::string, std::set<std::string>, std::less<>>;

/// Block devices do not count.
[[nodiscard]] MountLabels mount_labels(const Pod& pod);

/// Whether the pod wants its volumes labelled file by file.
[[nodiscard]] bool is_recursive(const Pod& pod);

}  // namespace davit::selinuxwarning
