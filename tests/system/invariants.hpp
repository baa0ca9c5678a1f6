/// Invariants of workloads that hold under every fault.
#pragma once

#include <string>
#include <vector>

#include "tests/system/record.hpp"

namespace davit::test {

/// The steps that made more than was asked for, a line each:
///   - a ReplicaSet's replicas raised so that all of the Deployment's together are more than it
///     wants, surge included;
///   - a pod made while its ReplicaSet had as many as it wanted.
/// A set that is to shrink may have the old number until it did. Upstream's bound is on the
/// ReplicaSets' replicas, too: the pod that makes room may go after the one that takes it comes.
/// Pods and ReplicaSets carry the label app=`name`; maxSurge is a number.
[[nodiscard]] std::vector<std::string> excess(const Record& record, const std::string& name);

/// Pods and ReplicaSets whose controller is gone.
[[nodiscard]] std::vector<std::string> orphans(const Record& record);

/// Pods with the label app=`name` that are Ready and not being deleted.
[[nodiscard]] std::size_t ready_pods(const Record& record, const std::string& name);

/// The fewest of them at any moment since `revision`.
[[nodiscard]] std::size_t fewest_ready_pods(const Record& record, sandbox::Revision revision,
                                            const std::string& name);

/// The changes since `revision` of objects with the label app=`name`.
[[nodiscard]] std::vector<std::string> steps_since(const Record& record, sandbox::Revision revision,
                                                   const std::string& name);

}  // namespace davit::test
