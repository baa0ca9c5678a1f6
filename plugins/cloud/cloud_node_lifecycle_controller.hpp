/// The cloud node lifecycle controller: deletes Nodes whose machine is gone, and taints those whose
/// machine is off.
#pragma once

#include <davit/cloud.hpp>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/node.hpp>

#include "plugins/cloud/options.hpp"

namespace davit::cloud {

/// The provider is asked about Nodes that are not Ready, and about several at once, so that a slow
/// answer delays no other Node (D13). A pass queues them. Rule: docs/spec/cloud.md, part C.
class CloudNodeLifecycleController final : public Controller {
 public:
  CloudNodeLifecycleController(Context& cluster, const LifecycleOptions& options,
                               const Cloud& cloud);

  /// Skipped without a provider of instances.
  [[nodiscard]] static InitResult open(Context& cluster);

 private:
  void pass();
  [[nodiscard]] Result<Again> sync(const Key& key);
  [[nodiscard]] Result<Again> sync_unready(const Node& node);
  [[nodiscard]] Result<Again> remove(const Node& node) const;
  [[nodiscard]] Result<Again> sync_shutdown(const Node& node);
  /// Whether `now` of the cache is the Node that the provider was asked about, and not Ready.
  [[nodiscard]] static bool is_still_unready(const Lookup<Node>& now, const Node& asked);
  /// The provider has failed; the next pass asks again.
  [[nodiscard]] Again failed(std::string_view what, const Node& node, const Status& why) const;

  Context& cluster_;
  const Cloud cloud_;
  Queue queue_;
  Informer<Node> nodes_;
};

}  // namespace davit::cloud
