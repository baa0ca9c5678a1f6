/// One try to take a pod off its node.
#pragma once

#include <davit/client.hpp>
#include <davit/key.hpp>
#include <davit/kube/pod.hpp>
#include <optional>
#include <string>

namespace davit::nodelifecycle {

/// A strategic merge patch of the status that says why the pod goes; nothing when it says so
/// already. The pod's UID is its precondition.
[[nodiscard]] std::optional<std::string> disruption_patch(const Pod& pod, WallTime now);

/// One pod, distinct from others of the same name before or after it.
struct PodIdentity {
  Key key;
  std::string uid;
};

/// addConditionAndDeletePod: reads the pod from the server, patches its status and deletes it.
/// Nothing is done to another pod of its name. Blocks for up to three requests.
[[nodiscard]] Status delete_pod(const Client& client, const PodIdentity& pod, WallTime now);

}  // namespace davit::nodelifecycle
