/// The pod that a ReplicaSet asks for.
#pragma once

#include <davit/kube/replica_set.hpp>
#include <string>
#include <string_view>

namespace davit::replicaset {

/// The prefix of the names of a ReplicaSet's pods: "<name>-", without the dash only where no valid
/// pod name could begin so.
[[nodiscard]] std::string pod_name_prefix(std::string_view set_name);

/// The JSON text of a pod made from the template, with this set as its controller. Of the
/// template's metadata only labels, annotations and finalizers count. What we copy is the
/// template's own text, so fields that nobody here knows arrive unchanged.
[[nodiscard]] std::string pod_body(const ReplicaSet& set);

}  // namespace davit::replicaset
