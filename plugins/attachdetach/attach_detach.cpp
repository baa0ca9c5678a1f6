#include "plugins/attachdetach/attach_detach.hpp"

#include <chrono>
#include <memory>
#include <string>

#include "plugins/attachdetach/names.hpp"
#include "plugins/attachdetach/wanted_volumes.hpp"
#include "plugins/shared/volumes/claim_pods.hpp"

namespace davit::attachdetach {

InitResult AttachDetach::open(Context& cluster) {
  const Result<Options> options = read_options(cluster.config());
  if (!options) return options.error();
  return std::unique_ptr<Controller>(std::make_unique<AttachDetach>(cluster, *options));
}

AttachDetach::AttachDetach(Context& cluster, const Options& options)
    : metrics_(cluster),
      options_(options),
      parts_{
          .cluster = cluster,
          .options = options_,
          .claim_queue = cluster.open_queue({.name = "pvcs", .workers = 1},
                                            [this](const Key& key) {
                                              population_.ensure();
                                              return sync_claim(parts_, key);
                                            }),
          .pod_queue = cluster.open_queue({.name = "attachdetach_pods", .workers = 1},
                                          [this](const Key& key) -> Result<Again> {
                                            population_.ensure();
                                            look_at_pod(parts_, key);
                                            return Again::when_changed();
                                          }),
          .volume_queue = cluster.open_queue({.name = "attachdetach_volumes"},
                                             [this](const Key& key) { return volume_sync_(key); }),
          .node_queue = cluster.open_queue({.name = "attachdetach_nodes", .workers = 2},
                                           [this](const Key& key) { return node_report_(key); }),
          .pods = cluster.open_informer<Pod>(
              {.any = [this](const Event<Pod>& event) { on_pod(event); }}),
          .nodes = cluster.open_informer<Node>(
              {.any = [this](const Event<Node>& event) { on_node(event); }}),
          .claims = cluster.open_informer<volumes::Claim>(
              {.added = [this](const volumes::Claim& claim) { parts_.claim_queue.add(claim); },
               .updated = [this](const volumes::Claim&,
                                 const volumes::Claim& claim) { parts_.claim_queue.add(claim); }}),
          .volumes = cluster.open_informer<volumes::Volume>(
              {.any = [this](const Event<volumes::Volume>& event) { on_volume(event); }}),
          .drivers = cluster.open_informer<volumes::CsiDriver>(
              {.any = [this](const Event<volumes::CsiDriver>& event) { on_driver(event); }}),
          .attachments = cluster.open_informer<volumes::Attachment>(
              {.any = [this](const Event<volumes::Attachment>& event) { on_attachment(event); }}),
          .mutex = mutex_,
          .world = world_,
          .metrics = metrics_},
      population_(parts_),
      node_report_(parts_, population_),
      volume_sync_(parts_, population_) {
  constexpr std::chrono::minutes kCleanUp(1);
  cluster.add_index(parts_.pods, volumes::kByClaimName, volumes::kClaimNamePath);
  cluster.add_index(parts_.pods, kByNode, "spec.nodeName");
  cluster.add_index(parts_.attachments, kByVolume, "spec.source.persistentVolumeName");
  cluster.start_timer({.first = kCleanUp, .period = kCleanUp}, [this] { add_pods(); });
  if (!options_.verifies) return;
  const auto period = std::chrono::duration_cast<std::chrono::milliseconds>(options_.verify_period);
  cluster.start_timer({.first = period, .period = period}, [this] { verify(); });
}

void AttachDetach::on_pod(const Event<Pod>& event) const {
  const Pod& pod = event.current;
  if (pod.node_name().empty()) return;
  const bool is_same = event.old && event.old->uid() == pod.uid() &&
                       event.old->node_name() == pod.node_name() &&
                       volumes::is_terminated(*event.old) == volumes::is_terminated(pod);
  const auto any = [](Value) { return true; };
  if (!is_same && volumes::any_volume(pod, any)) parts_.pod_queue.add(pod);
}

void AttachDetach::on_node(const Event<Node>& event) {
  using Type = Event<Node>::Type;
  const Node& node = event.current;
  const std::string name(node.name());
  const std::lock_guard lock(mutex_);
  bool is_wanted = false;
  const auto on_it = world_.volumes_on(name);
  for (const std::string& each : on_it) {
    const VolumeState& volume = *world_.find(each);
    is_wanted = is_wanted || volume.is_wanted(name);
    if (!volume.is_wanted(name)) parts_.add_volume(each);
  }
  if (event.type == Type::kDeleted) {
    const auto found = world_.nodes.find(name);
    if (found == world_.nodes.end()) return;
    found->second.is_managed = found->second.is_managed && is_wanted;
    if (on_it.empty()) world_.nodes.erase(found);
    parts_.add_node(name);
    return;
  }
  NodeState& state = world_.nodes[name];
  const bool is_managed = state.is_managed || node.annotation(kManaged).has_value();
  state.has_come = state.has_come || is_managed != state.is_managed;
  state.is_managed = is_managed;
  state.in_use = in_use_on(node);
  if (is_managed || !on_it.empty()) parts_.add_node(name);
}

void AttachDetach::on_volume(const Event<volumes::Volume>& event) const {
  if (event.type == Event<volumes::Volume>::Type::kDeleted) return;
  const Value claim = event.current.claim_ref();
  if (claim.kind() == Kind::kObject) {
    parts_.claim_queue.add(
        Key{std::string(claim[&Names::ns].string()), std::string(claim[&Names::name].string())});
  }
  if (event.initial) return;
  const auto attachments = parts_.attachments.by_index(kByVolume, event.current.name());
  const std::lock_guard lock(parts_.mutex);
  for (const volumes::Attachment& each : attachments) adopt(parts_, each);
}

void AttachDetach::on_driver(const Event<volumes::CsiDriver>& event) const {
  if (!event.initial) add_pods();
}

void AttachDetach::on_attachment(const Event<volumes::Attachment>& event) {
  if (event.initial) return;
  const bool is_gone = event.type == Event<volumes::Attachment>::Type::kDeleted;
  const volumes::Attachment& attachment = event.current;
  const std::lock_guard lock(mutex_);
  const auto found = world_.by_attachment.find(attachment.name());
  if (found == world_.by_attachment.end()) {
    if (!is_gone) adopt(parts_, attachment);
    return;
  }
  const std::string name = found->second;
  parts_.add_volume(name);
  VolumeState* volume = world_.find(name);
  if (volume == nullptr) return;
  if (is_gone && volume->strays.erase(std::string(attachment.name())) != 0) {
    world_.by_attachment.erase(std::string(attachment.name()));
    return;
  }
  if (!is_gone) adopt(parts_, attachment);
  const auto pair = volume->pairs.find(std::string(attachment.node_name()));
  if (pair == volume->pairs.end() || !options_.verifies) return;
  if (is_gone || !attachment.is_attached()) pair->second.is_suspect = true;
}

void AttachDetach::add_pods() const {
  for (const Pod& each : parts_.pods.list()) {
    if (!each.node_name().empty() && !volumes::is_terminated(each)) parts_.pod_queue.add(each);
  }
  const std::lock_guard lock(parts_.mutex);
  for (const auto& [key, pod] : parts_.world.pods()) {
    parts_.pod_queue.add(Key{pod.name.ns, pod.name.name});
  }
}

void AttachDetach::verify() {
  if (!population_.is_done()) return;
  const Time began = parts_.cluster.now();
  const std::lock_guard lock(mutex_);
  for (const auto& [name, volume] : world_.volumes()) {
    if (!volume.is_known || volume.source.driver.empty()) continue;
    for (const auto& [node, pair] : volume.pairs) {
      if (pair.phase != Pair::Phase::kAttached) continue;
      const Lookup<volumes::Attachment> seen =
          parts_.attachments.get("", attachment_name(volume.source, node));
      if (seen && seen->is_attached()) continue;
      world_.find(name)->pairs.at(node).is_suspect = true;
      parts_.add_volume(name);
    }
  }
  metrics_.verified(parts_.cluster.now() - began);
}

}  // namespace davit::attachdetach
