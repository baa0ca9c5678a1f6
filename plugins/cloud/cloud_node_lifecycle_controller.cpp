#include "plugins/cloud/cloud_node_lifecycle_controller.hpp"

#include <array>
#include <chrono>
#include <davit/mutant.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/cloud/node_patch.hpp"
#include "plugins/cloud/provider_wait.hpp"
#include "plugins/shared/nodes/node_ready.hpp"
#include "plugins/shared/taints/taint_lists.hpp"

namespace davit::cloud {
namespace {

std::array<Taint, 1> shutdown_taint() {
  return {Taint{.key = "node.cloudprovider.kubernetes.io/shutdown",
                .effect = std::string(kNoSchedule)}};
}

bool has_shutdown_taint(const Node& node) {
  return taints::contains(taints_from(node.taints(), kNoSchedule), shutdown_taint().front());
}

std::optional<std::string> taints_body(const Node& node,
                                       const std::optional<std::vector<Taint>>& taints) {
  if (!taints) return std::nullopt;
  return taints::taints_patch(node.resource_version(), *taints);
}

std::optional<std::string> body_with_shutdown(const Node& node) {
  // The Node of a fresh read may have recovered.
  if (nodes::is_ready(node)) return std::nullopt;
  return taints_body(node, taints::with_taints(taints_from(node.taints()), shutdown_taint()));
}

std::optional<std::string> body_without_shutdown(const Node& node) {
  if (!nodes::is_ready(node)) return std::nullopt;
  return taints_body(node, taints::without_taints(taints_from(node.taints()), shutdown_taint()));
}

}  // namespace

InitResult CloudNodeLifecycleController::open(Context& cluster) {
  const Result<LifecycleOptions> options = read_lifecycle_options(cluster.config());
  if (!options) return options.error();
  const Cloud cloud(cluster, "");  // The functions of instances have no name of a cluster.
  constexpr std::string_view kLacks =
      "failed to start cloud node lifecycle controller: cloud provider does not support "
      "instances";
  if (const auto why = reason_to_skip(cloud, DAVIT_CLOUD_INSTANCES, kLacks))
    return cluster.skip(*why);
  return std::unique_ptr<Controller>(
      std::make_unique<CloudNodeLifecycleController>(cluster, *options, cloud));
}

CloudNodeLifecycleController::CloudNodeLifecycleController(Context& cluster,
                                                           const LifecycleOptions& options,
                                                           const Cloud& cloud)
    : cluster_(cluster),
      cloud_(cloud),
      queue_(cluster.open_queue({}, [this](const Key& key) { return sync(key); })),
      nodes_(cluster.open_informer<Node>()) {
  cloud_.follow(DAVIT_CLOUD_INSTANCES, queue_);
  cluster.start_timer(
      {.period = std::chrono::duration_cast<std::chrono::milliseconds>(options.period)},
      [this] { pass(); });
}

void CloudNodeLifecycleController::pass() {
  for (const Node& each : nodes_.list()) {
    if (!nodes::is_ready(each) || has_shutdown_taint(each)) queue_.add(each);
  }
}

Result<Again> CloudNodeLifecycleController::sync(const Key& key) {
  if (key.name.empty()) {  // The provider wants all looked at.
    pass();
    return Again::when_changed();
  }
  const Lookup<Node> node = nodes_.get(key);
  if (!node) return Again::when_changed();
  if (!nodes::is_ready(*node)) return sync_unready(*node);
  if (!has_shutdown_taint(*node)) return Again::when_changed();
  const Status written = patch_node(cluster_, *node, &body_without_shutdown);
  if (written.unless(Code::kNotFound).ok()) return Again::when_changed();
  return failed("error patching node taints", *node, written);
}

Result<Again> CloudNodeLifecycleController::sync_unready(const Node& node) {
  if (const auto again = wait_for(cloud_)) return *again;
  const CloudReply reply = cloud_.exists(node);
  if (!reply.status.ok() && !mutant("machine-of-a-failed-answer")) {
    return failed("error checking if node exists", node, reply.status);
  }
  if (reply.elsewhere) return Again::when_changed();
  if (reply.exists) return sync_shutdown(node);
  const Lookup<Node> now = nodes_.get(node.key());
  if (!is_still_unready(now, node)) return Again::when_changed();
  return remove(now ? *now : node);
}

bool CloudNodeLifecycleController::is_still_unready(const Lookup<Node>& now, const Node& asked) {
  if (mutant("machine-of-a-ready-node")) return true;
  return now && now->uid() == asked.uid() && !nodes::is_ready(*now) &&
         now->spec()["providerID"] == asked.spec()["providerID"];
}

Result<Again> CloudNodeLifecycleController::remove(const Node& node) const {
  const std::string name(node.name());
  cluster_.events().normal(
      node, "DeletingNode",
      "Deleting node " + name + " because it does not exist in the cloud provider");
  DeleteOptions options;
  if (!mutant("machine-of-a-namesake")) {
    options.uid = node.uid();
    options.resource_version = std::string(node.resource_version());  // Not one that has recovered.
  }
  const Status removed = cluster_.client().remove<Node>(node.key(), options);
  if (removed.code() == Code::kCancelled) return removed;
  if (!removed.unless(Code::kNotFound).unless(Code::kConflict).ok()) {
    cluster_.events().warning(node, "DeletingNodeFailed",
                              "Failed deleting node " + name + ": " + removed.message());
  }
  return Again::when_changed();
}

Result<Again> CloudNodeLifecycleController::sync_shutdown(const Node& node) {
  const CloudReply reply = cloud_.shutdown(node);
  if (reply.status.code() == Code::kUnsupported) return Again::when_changed();
  if (!reply.status.ok()) {
    return failed("error checking if node is shutdown", node, reply.status);
  }
  if (reply.elsewhere || !reply.exists) return Again::when_changed();
  const Status written = patch_node(cluster_, node, &body_with_shutdown);
  if (written.unless(Code::kNotFound).ok()) return Again::when_changed();
  return failed("error patching node taints", node, written);
}

Again CloudNodeLifecycleController::failed(std::string_view what, const Node& node,
                                           const Status& why) const {
  if (const auto again = excuse(cloud_, why)) return *again;
  cluster_.log().error(what, {{"node", node.name()}, {"err", why.message()}});
  return Again::when_changed();
}

}  // namespace davit::cloud
