/// The body of a pod that a ReplicaSet creates.
#pragma once

#include <davit/kube/replica_set.hpp>
#include <string>
#include <string_view>

namespace davit::replicaset {

/// The prefix of the names of a ReplicaSet's pods: "<name>-", without the dash only where no valid
/// pod name could begin so.
[[nodiscard]] std::string pod_name_prefix(std::string_view set_name);

/// The JSON text of a pod made from the template, with this set as its controller. From the
/// template's metadata only labels, annotations and finalizers are used. The copied parts are the
/// template's own text, so unknown fields arrive unchanged.
[[nodiscard]] std::string pod_body(const ReplicaSet& set);

}  // namespace davit::replicaset
