#include "plugins/attachdetach/node_report.hpp"

#include <davit/json_writer.hpp>
#include <functional>
#include <set>
#include <utility>

#include "plugins/attachdetach/names.hpp"

namespace davit::attachdetach {
namespace {

using NameSet = std::set<std::string, std::less<>>;

std::string list_patch(const NameSet& names) {
  JsonWriter out;
  out.begin_object().key("status").begin_object().key("volumesAttached");
  if (names.empty()) {
    out.null();
  } else {
    out.begin_array();
    for (const std::string& each : names) {
      out.begin_object().member("devicePath", "").member("name", each).end_object();
    }
    out.end_array();
  }
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace

Result<Again> NodeReport::operator()(const Key& key) {
  population_.ensure();
  const std::string& name = key.name;
  const Lookup<Node> node = parts_.nodes.get("", name);
  NameSet wanted;
  bool must_write = false;
  std::uint64_t at = 0;
  bool is_ours = false;
  {
    const std::lock_guard lock(parts_.mutex);
    const auto state = parts_.world.nodes.find(name);
    if (state != parts_.world.nodes.end()) must_write = state->second.must_write;
    is_ours = (state != parts_.world.nodes.end() && state->second.is_managed) ||
              !parts_.world.volumes_on(name).empty();
    for (const std::string& each : parts_.world.volumes_on(name)) {
      if (parts_.world.find(each)->pairs.at(name).is_reported) wanted.insert(each);
    }
    at = parts_.world.decisions;
  }
  look_at_pods(name);
  if (!node || !is_ours || (!must_write && attached_on(*node) == wanted)) {
    confirm(name, at);
    return Again::when_changed();
  }
  const Time began = parts_.cluster.now();
  if (const Duration wait = window_.wait(key, began); wait > Duration::zero()) {
    return Again::after(wait);
  }
  const Result<Node> written =
      parts_.cluster.client().patch<Node>(key, PatchType::kStrategic, list_patch(wanted),
                                          {.subresource = "status", .answer = Answer::kMetadata});
  if (!written && written.error().code() != Code::kNotFound) return written.error();
  if (written) {
    window_.wrote(key, began);
    const std::lock_guard lock(parts_.mutex);
    parts_.world.nodes[name].must_write = false;
  }
  confirm(name, at);
  return Again::when_changed();
}

void NodeReport::confirm(const std::string& node, std::uint64_t at) const {
  const std::lock_guard lock(parts_.mutex);
  for (const std::string& each : parts_.world.volumes_on(node)) {
    Pair& pair = parts_.world.find(each)->pairs.at(node);
    if (pair.is_reported || pair.is_released || pair.decision == 0 || pair.decision > at) continue;
    pair.is_released = true;
    parts_.add_volume(each);
  }
}

void NodeReport::look_at_pods(const std::string& node) const {
  {
    const std::lock_guard lock(parts_.mutex);
    const auto state = parts_.world.nodes.find(node);
    if (state == parts_.world.nodes.end() || !state->second.has_come) return;
  }
  for (const Pod& each : parts_.pods.by_index(kByNode, node)) parts_.pod_queue.add(each);
  const std::lock_guard lock(parts_.mutex);
  parts_.world.nodes[node].has_come = false;
}

}  // namespace davit::attachdetach
