/// The attach/detach controller: volumes on the nodes whose pods need them.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <mutex>

#include "plugins/attachdetach/node_report.hpp"
#include "plugins/attachdetach/options.hpp"
#include "plugins/attachdetach/parts.hpp"
#include "plugins/attachdetach/populate.hpp"
#include "plugins/attachdetach/volume_sync.hpp"
#include "plugins/shared/volumes/views.hpp"

namespace davit::attachdetach {

/// Four queues: claims and pods determine the wanted volumes, volumes are attached and detached,
/// nodes get their lists. VolumeSync, NodeReport and next_step() state the rules that protect data.
///
/// Rule: docs/spec/attachdetach.md.
class AttachDetach final : public Controller {
 public:
  [[nodiscard]] static InitResult open(Context& cluster);
  AttachDetach(Context& cluster, const Options& options);

  [[nodiscard]] HandedState* state() override { return &population_; }

 private:
  void on_pod(const Event<Pod>& event) const;
  void on_node(const Event<Node>& event);
  void on_node_gone(const std::string& name);
  /// Whether the node lists what it shall list, and no step waits for it to be confirmed.
  [[nodiscard]] bool has_its_list(const Node& node);
  void on_claim(const Event<volumes::Claim>& event) const;
  void on_volume(const Event<volumes::Volume>& event) const;
  void on_driver(const Event<volumes::CsiDriver>& event) const;
  void on_attachment(const Event<volumes::Attachment>& event);
  /// Whether the attachment is one that an operation waits for and whose attacher has not said
  /// anything yet, so that no step follows. Notes that it was seen.
  [[nodiscard]] bool is_awaited(VolumeState& volume, const volumes::Attachment& attachment);
  /// Adds all pods that count, and those that may not count any more.
  void add_pods() const;
  void verify();

  std::mutex mutex_;
  World world_;
  AttachMetrics metrics_;
  const Options options_;
  const Parts parts_;
  Population population_;
  NodeReport node_report_;
  const VolumeSync volume_sync_;
};

}  // namespace davit::attachdetach
