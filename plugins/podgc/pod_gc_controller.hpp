/// The pod garbage collector: deletes pods that neither a kubelet nor another controller will.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <string_view>

#include "plugins/podgc/pod_terminator.hpp"

namespace davit::podgc {

/// A pass every 20 seconds looks at all pods and Nodes. A pod whose Node is gone puts that Node
/// into the queue, which hands it out 40 seconds later, for its pods to be deleted if it is still
/// gone. Keeps nothing between passes.
class PodGcController final : public Controller {
 public:
  /// Reads the configuration; an unknown member or value is an error.
  [[nodiscard]] static InitResult open(Context& cluster);

  /// `threshold`: so many terminated pods stay; 0 or less: all of them.
  PodGcController(Context& cluster, std::int64_t threshold);

 private:
  void pass() const;
  void delete_terminated(const List<Pod>& pods) const;
  void delete_out_of_service(const List<Pod>& pods) const;
  void quarantine_missing_nodes(const List<Pod>& pods) const;
  void delete_unscheduled(const List<Pod>& pods) const;
  /// The end of a Node's quarantine.
  [[nodiscard]] Result<Again> sync(const Key& node) const;
  [[nodiscard]] Status look_up(std::string_view node) const;

  Context& cluster_;
  const std::int64_t threshold_;
  Queue missing_nodes_;
  Informer<Pod> pods_;
  Informer<Node> nodes_;
  PodTerminator terminator_;
};

}  // namespace davit::podgc
