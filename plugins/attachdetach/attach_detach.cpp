#include "plugins/attachdetach/attach_detach.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "plugins/attachdetach/names.hpp"
#include "plugins/attachdetach/wanted_volumes.hpp"
#include "plugins/shared/nodes/node_ready.hpp"
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
              {.any = [this](const Event<volumes::Claim>& event) { on_claim(event); }}),
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
  if (event.type == Type::kDeleted) return on_node_gone(name);
  NodeState& state = world_.nodes[name];
  const bool is_managed = state.is_managed || node.annotation(kManaged).has_value();
  state.has_come = state.has_come || is_managed != state.is_managed;
  state.is_managed = is_managed;
  const auto used = std::exchange(state.in_use, in_use_on(node));
  // Other changes of the node decide nothing about a volume that shall leave it.
  const bool is_as_before = event.type == Type::kUpdated && event.old->uid() == node.uid() &&
                            nodes::is_ready(*event.old) == nodes::is_ready(node) &&
                            is_out_of_service(*event.old) == is_out_of_service(node);
  const auto& on_it = world_.volumes_on(name);
  for (const std::string& each : on_it) {
    const bool is_same = is_as_before && used.contains(each) == state.in_use.contains(each);
    if (!is_same && !world_.find(each)->is_wanted(name)) parts_.add_volume(each);
  }
  const bool is_right = event.type == Type::kUpdated && !state.has_come && has_its_list(node);
  if ((is_managed || !on_it.empty()) && !is_right) parts_.add_node(name);
}

void AttachDetach::on_node_gone(const std::string& name) {
  bool is_wanted = false;
  const auto& on_it = world_.volumes_on(name);
  for (const std::string& each : on_it) {
    const bool is_wanted_there = world_.find(each)->is_wanted(name);
    is_wanted = is_wanted || is_wanted_there;
    if (!is_wanted_there) parts_.add_volume(each);
  }
  const auto found = world_.nodes.find(name);
  if (found == world_.nodes.end()) return;
  found->second.is_managed = found->second.is_managed && is_wanted;
  if (on_it.empty()) world_.nodes.erase(found);
  parts_.add_node(name);
}

bool AttachDetach::has_its_list(const Node& node) {
  const std::string name(node.name());
  const auto state = world_.nodes.find(name);
  if (state != world_.nodes.end() && state->second.must_write) return false;
  const auto listed = attached_on(node);
  std::size_t reported = 0;
  for (const std::string& each : world_.volumes_on(name)) {
    const Pair& pair = world_.find(each)->pairs.at(name);
    if (pair.is_reported != listed.contains(each)) return false;
    if (!pair.is_reported && !pair.is_released && pair.decision != 0) return false;
    if (pair.is_reported) ++reported;
  }
  return reported == listed.size();
}

void AttachDetach::on_claim(const Event<volumes::Claim>& event) const {
  if (event.type == Event<volumes::Claim>::Type::kDeleted) return;
  const volumes::Claim& claim = event.current;
  if (claim.phase() != "Bound" || claim.volume_name().empty()) return;
  const bool is_same = event.old && event.old->uid() == claim.uid() &&
                       event.old->phase() == claim.phase() &&
                       event.old->volume_name() == claim.volume_name() &&
                       event.old->owner_references() == claim.owner_references();
  if (!is_same) parts_.claim_queue.add(claim);
}

void AttachDetach::on_volume(const Event<volumes::Volume>& event) const {
  if (event.type == Event<volumes::Volume>::Type::kDeleted) return;
  const bool is_same = event.old && event.old->uid() == event.current.uid() &&
                       event.old->claim_ref() == event.current.claim_ref() &&
                       source_of(*event.old) == source_of(event.current);
  if (is_same) return;
  const Value reference = event.current.claim_ref();
  // One that is not bound yet adds itself when it is.
  const auto claim =
      parts_.claims.get(reference[&Names::ns].string(), reference[&Names::name].string());
  if (claim && claim->phase() == "Bound") parts_.claim_queue.add(*claim);
  if (event.initial) return;
  const auto attachments = parts_.attachments.by_index(kByVolume, event.current.name());
  const std::lock_guard lock(parts_.mutex);
  for (const volumes::Attachment& each : attachments) adopt(parts_, each);
}

void AttachDetach::on_driver(const Event<volumes::CsiDriver>& event) const {
  if (!event.initial) add_pods();
}

void AttachDetach::on_attachment(const Event<volumes::Attachment>& event) {
  // Any sync looks at all attachments that are there at the start.
  if (event.initial) return parts_.volume_queue.add(Key{"", "start"});
  const bool is_gone = event.type == Event<volumes::Attachment>::Type::kDeleted;
  const volumes::Attachment& attachment = event.current;
  const bool is_same = event.type == Event<volumes::Attachment>::Type::kUpdated &&
                       event.old->uid() == attachment.uid() &&
                       event.old->is_being_deleted() == attachment.is_being_deleted() &&
                       event.old->status() == attachment.status();
  if (is_same) return;
  const std::lock_guard lock(mutex_);
  const auto found = world_.by_attachment.find(attachment.name());
  if (found == world_.by_attachment.end()) {
    if (!is_gone) adopt(parts_, attachment);
    return;
  }
  const std::string name = found->second;
  VolumeState* volume = world_.find(name);
  if (volume == nullptr) return;
  if (!is_gone && is_awaited(*volume, attachment)) return;
  parts_.add_volume(name);
  if (is_gone && volume->strays.erase(std::string(attachment.name())) != 0) {
    world_.by_attachment.erase(std::string(attachment.name()));
    return;
  }
  if (!is_gone) adopt(parts_, attachment);
  const auto pair = volume->pairs.find(std::string(attachment.node_name()));
  if (pair == volume->pairs.end() || !options_.verifies) return;
  if (is_gone || !attachment.is_attached()) pair->second.is_suspect = true;
}

bool AttachDetach::is_awaited(VolumeState& volume, const volumes::Attachment& attachment) {
  const auto found = volume.pairs.find(std::string(attachment.node_name()));
  if (found == volume.pairs.end() || attachment.driver() != volume.source.driver ||
      attachment.name() != attachment_name(volume.source, found->first)) {
    return false;
  }
  Pair& pair = found->second;
  const Value status = attachment.status();
  if (pair.phase == Pair::Phase::kDetaching) {
    return attachment.is_being_deleted() && !status["detachError"];
  }
  if (pair.phase != Pair::Phase::kAttaching) return false;
  // The event may be one of an earlier attachment of the name, which is gone.
  const auto cached = parts_.attachments.get("", attachment.name());
  if (!cached || cached->uid() != attachment.uid()) return false;
  pair.was_seen = true;
  return !attachment.is_being_deleted() && !attachment.is_attached() && !status["attachError"];
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
