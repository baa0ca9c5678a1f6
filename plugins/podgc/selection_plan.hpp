/// The rules of the pod garbage collector: which pods are left over.
#pragma once

#include <cstddef>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <vector>

namespace davit::podgc {

/// Whether the pod will not run again: neither Pending nor Running nor Unknown.
/// Rule: docs/spec/disruption.md, section 19.1.
[[nodiscard]] bool is_terminated(const Pod& pod);

/// In the order of deletion: evicted first, then older, then by name.
void sort_for_deletion(std::vector<Pod>& pods);

/// All but `kept` of these pods, in the order of deletion; the youngest are kept.
[[nodiscard]] std::vector<Pod> surplus(std::vector<Pod> terminated, std::size_t kept);

/// Whether the Node is not ready and has the taint out-of-service.
[[nodiscard]] bool is_out_of_service(const Node& node);

}  // namespace davit::podgc
