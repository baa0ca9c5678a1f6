#include "plugins/attachdetach/wanted_volumes.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "plugins/shared/volumes/claim_pods.hpp"

namespace davit::attachdetach {
namespace {

bool is_attachable(const Parts& parts, const Source& source) {
  if (source.driver.empty()) return true;
  const Lookup<volumes::CsiDriver> driver = parts.drivers.get("", source.driver);
  return !driver || driver->requires_attachment();
}

/// The volume of a claim that is bound to it, and it to the claim.
std::optional<Source> claimed(const Parts& parts, const Pod& pod, Value entry) {
  const Lookup<volumes::Claim> claim = parts.claims.get(pod.ns(), volumes::claim_name(pod, entry));
  if (!claim || claim->phase() != "Bound" || claim->volume_name().empty()) return std::nullopt;
  if (volumes::is_ephemeral(entry) && !claim->is_controlled_by(pod)) return std::nullopt;
  const Lookup<volumes::Volume> volume = parts.volumes.get("", claim->volume_name());
  if (!volume || volume->claim_ref()[&Names::uid].string() != claim->uid()) return std::nullopt;
  return source_of(*volume);
}

PodState resolve(const Parts& parts, const Pod& pod) {
  PodState out;
  out.name = {std::string(pod.ns()), std::string(pod.name()), std::string(pod.uid())};
  out.node = pod.node_name();
  for (const Value each : pod.spec()["volumes"].elements()) {
    std::optional<Source> source = volumes::claim_name(pod, each).empty()
                                       ? inline_source_of(each, pod.ns())
                                       : claimed(parts, pod, each);
    if (!source) continue;
    out.plugins.push_back(plugin_of(*source));
    if (is_attachable(parts, *source)) out.wanted.emplace(source->name, *std::move(source));
  }
  return out;
}

/// An attachment that was made again under its name is of `volume` now.
void forget_stray(const Parts& parts, const std::string& name, const std::string& volume) {
  const auto before = parts.world.by_attachment.find(name);
  if (before == parts.world.by_attachment.end() || before->second == volume) return;
  if (VolumeState* const old = parts.world.find(before->second)) {
    old->strays.erase(name);
    parts.add_volume(before->second);
  }
}

}  // namespace

void look_at_pod(const Parts& parts, const Key& key) {
  const Lookup<Pod> pod = parts.pods.get(key);
  const bool counts = pod && !pod->node_name().empty() && !volumes::is_terminated(*pod);
  std::optional<PodState> state;
  if (counts) state = resolve(parts, *pod);
  const std::lock_guard lock(parts.mutex);
  if (state) {
    const auto node = parts.world.nodes.find(state->node);
    const bool is_managed = node != parts.world.nodes.end() && node->second.is_managed;
    if (!is_managed) state->wanted.clear();
  }
  parts.metrics.count(key.text(), state ? &*state : nullptr);
  const auto changed =
      parts.world.set_pod(key.text(), std::move(state),
                          [&parts](const Source& source) { return is_attachable(parts, source); });
  for (const std::string& each : changed) {
    parts.metrics.count(each, parts.world.find(each));
    parts.add_volume(each);
  }
}

Result<Again> sync_claim(const Parts& parts, const Key& key) {
  const Lookup<volumes::Claim> claim = parts.claims.get(key);
  if (!claim || claim->phase() != "Bound" || claim->volume_name().empty()) {
    return Again::when_changed();
  }
  for (const Pod& each : volumes::pods_of_claim(parts.pods, key.ns, key.name)) {
    if (!each.node_name().empty()) parts.pod_queue.add(each);
  }
  return Again::when_changed();
}

void adopt(const Parts& parts, const volumes::Attachment& attachment) {
  // One of a list may have gone since: its event has been handled before.
  const Lookup<volumes::Attachment> now = parts.attachments.get("", attachment.name());
  if (!now || now->uid() != attachment.uid()) return;
  std::optional<Source> source;
  if (attachment.volume_name().empty()) {
    source = inline_source_of(attachment);
  } else if (const Lookup<volumes::Volume> volume =
                 parts.volumes.get("", attachment.volume_name())) {
    source = source_of(*volume);
  }
  if (!source || source->driver != attachment.driver()) return;
  const std::string node(attachment.node_name());
  const std::string name(attachment.name());
  VolumeState& volume = parts.world.volume(source->name);
  if (name == attachment_name(*source, node)) {
    Pair& pair = parts.world.pair(volume, node);
    if (pair.phase == Pair::Phase::kAbsent) pair.phase = Pair::Phase::kUncertain;
  } else {
    forget_stray(parts, name, source->name);
    volume.strays[name] = node;
    parts.world.by_attachment[name] = source->name;
  }
  parts.world.learn(volume, *source);
  parts.add_volume(source->name);
}

}  // namespace davit::attachdetach
