/// The status that a node reports for a pod. Pure.
#pragma once

#include <optional>
#include <string>

#include "lib/kube/json.hpp"
#include "nodes/pod_life.hpp"
#include "nodes/stamp.hpp"

namespace davit::sandbox {

struct PodAddresses {
  std::string host_ip;
  std::string pod_ip;  ///< The node's own for pods of the host network.
};

/// The body of a strategic merge patch of `pods/NAME/status` that makes the API say what `life`
/// says; nothing if the status is up to date, and while the pod is stopping, of which a node says
/// nothing before its end. Carries the uid, so that it never lands on a successor of that name.
[[nodiscard]] std::optional<Json> status_patch(const PodLife& life, const Json& pod,
                                               const PodAddresses& addresses, const Moment& moment);

}  // namespace davit::sandbox
