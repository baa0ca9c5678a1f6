/// The parts that the syncs share.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <mutex>
#include <string_view>

#include "plugins/attachdetach/attach_metrics.hpp"
#include "plugins/attachdetach/options.hpp"
#include "plugins/attachdetach/world.hpp"
#include "plugins/shared/volumes/views.hpp"

namespace davit::attachdetach {

/// Owned by the controller, which outlives the syncs. The lock is for `world` and `metrics`, and is
/// never held during a request.
struct Parts {
  Context& cluster;
  const Options& options;
  const Queue claim_queue;
  const Queue pod_queue;
  const Queue volume_queue;
  const Queue node_queue;
  const Informer<Pod> pods;
  const Informer<Node> nodes;
  const Informer<volumes::Claim> claims;
  const Informer<volumes::Volume> volumes;
  const Informer<volumes::CsiDriver> drivers;
  const Informer<volumes::Attachment> attachments;
  std::mutex& mutex;
  World& world;
  AttachMetrics& metrics;

  void add_volume(std::string_view name) const { volume_queue.add(Key{"", hash_of(name)}); }
  void add_node(std::string_view name) const { node_queue.add(Key{"", std::string(name)}); }
};

}  // namespace davit::attachdetach
