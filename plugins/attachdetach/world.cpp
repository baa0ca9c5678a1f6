#include "plugins/attachdetach/world.hpp"

#include <davit/mutant.hpp>
#include <utility>

namespace davit::attachdetach {

VolumeState& World::volume(const std::string& name) {
  const auto [found, is_new] = volumes_.try_emplace(name);
  if (is_new) {
    found->second.source = source_from_name(name);
    hashes_.emplace(hash_of(name), name);
  }
  return found->second;
}

VolumeState* World::find(std::string_view name) {
  const auto found = volumes_.find(name);
  return found == volumes_.end() ? nullptr : &found->second;
}

VolumeState* World::find_hash(std::string_view hash) {
  const auto found = hashes_.find(hash);
  return found == hashes_.end() ? nullptr : find(found->second);
}

Pair& World::pair(VolumeState& volume, const std::string& node) {
  on_node_[node].insert(volume.source.name);
  if (!volume.source.driver.empty() && !volume.pairs.contains(node)) {
    by_attachment[attachment_name(volume.source, node)] = volume.source.name;
  }
  return volume.pairs[node];
}

void World::erase(VolumeState& volume, const std::string& node) {
  volume.pairs.erase(node);
  if (!volume.source.driver.empty()) by_attachment.erase(attachment_name(volume.source, node));
  const auto found = on_node_.find(node);
  if (found == on_node_.end()) return;
  found->second.erase(volume.source.name);
  if (found->second.empty()) on_node_.erase(found);
}

void World::prune(const std::string& name) {
  const VolumeState* volume = find(name);
  if (volume == nullptr || !volume->pairs.empty() || !volume->wanted.empty() ||
      !volume->strays.empty()) {
    return;
  }
  hashes_.erase(hash_of(name));
  volumes_.erase(name);
}

void World::learn(VolumeState& volume, const Source& source) {
  if (volume.is_known) return;
  volume.source = source;
  volume.is_known = true;
}

const Source& World::source_on(const VolumeState& volume, const std::string& node) const {
  const auto wanted = volume.wanted.find(node);
  if (wanted == volume.wanted.end()) return volume.source;
  const Source* first = nullptr;
  for (const auto& [key, name] : wanted->second) {
    const auto pod = pods_.find(key);
    if (pod == pods_.end()) continue;
    const auto source = pod->second.wanted.find(volume.source.name);
    if (source == pod->second.wanted.end()) continue;
    if (first == nullptr) first = &source->second;
    if (!source->second.allows_many_nodes && !mutant("shared-by-first-pod")) return source->second;
  }
  return first == nullptr ? volume.source : *first;
}

const std::set<std::string>& World::volumes_on(const std::string& node) const {
  static const std::set<std::string> kNone;
  const auto found = on_node_.find(node);
  return found == on_node_.end() ? kNone : found->second;
}

std::vector<std::string> World::set_pod(const std::string& key, std::optional<PodState> pod,
                                        const std::function<bool(const Source&)>& keep) {
  const auto found = pods_.find(key);
  PodState old = found == pods_.end() ? PodState() : std::move(found->second);
  if (pod && pod->name.uid == old.name.uid && pod->node == old.node) {
    for (const auto& [name, source] : old.wanted) {
      if (keep(source)) pod->wanted.emplace(name, source);
    }
  }
  std::vector<std::string> changed;
  if (pod) {
    for (const auto& [name, source] : pod->wanted) {
      VolumeState& to = volume(name);
      learn(to, source);
      static_cast<void>(pair(to, pod->node));
      to.wanted[pod->node][key] = pod->name;
      changed.push_back(name);
    }
  }
  for (const auto& [name, source] : old.wanted) {
    if (pod && pod->node == old.node && pod->wanted.contains(name)) continue;
    VolumeState* from = find(name);
    if (from == nullptr) continue;
    auto& pods = from->wanted[old.node];
    pods.erase(key);
    if (pods.empty()) from->wanted.erase(old.node);
    changed.push_back(name);
  }
  if (found != pods_.end()) pods_.erase(found);
  if (pod) pods_.emplace(key, *std::move(pod));
  return changed;
}

}  // namespace davit::attachdetach
