#include "plugins/attachdetach/populate.hpp"

#include <chrono>
#include <davit/json_writer.hpp>
#include <davit/state_fields.hpp>
#include <utility>

#include "plugins/attachdetach/names.hpp"
#include "plugins/attachdetach/wanted_volumes.hpp"

namespace davit::attachdetach {
namespace {

using Phase = Pair::Phase;

constexpr std::int64_t kPauseMax = Duration(std::chrono::seconds(122)).count();

}  // namespace

void Population::ensure() {
  const std::lock_guard lock(mutex_);
  if (is_done_) return;
  adopt_all();
  for (const Pod& each : parts_.pods.list()) {
    if (!each.node_name().empty()) look_at_pod(parts_, each.key());
  }
  const std::lock_guard world_lock(parts_.mutex);
  for (const Handed& each : handed_) take_over(each);
  handed_.clear();
  for (const auto& [name, volume] : parts_.world.volumes()) {
    parts_.metrics.count(name, &volume);
    parts_.add_volume(name);
    for (const auto& [node, pair] : volume.pairs) parts_.add_node(node);
  }
  is_done_ = true;
}

bool Population::is_done() const {
  const std::lock_guard lock(mutex_);
  return is_done_;
}

void Population::adopt_all() const {
  const auto nodes = parts_.nodes.list();
  const auto attachments = parts_.attachments.list();
  const std::lock_guard lock(parts_.mutex);
  for (const Node& node : nodes) {
    NodeState& state = parts_.world.nodes[std::string(node.name())];
    state.is_managed = state.is_managed || node.annotation(kManaged).has_value();
    state.in_use = in_use_on(node);
    for (const std::string& name : attached_on(node)) {
      Pair& pair = parts_.world.pair(parts_.world.volume(name), std::string(node.name()));
      pair.phase = Phase::kAttached;
      pair.is_reported = true;
    }
  }
  for (const volumes::Attachment& each : attachments) adopt(parts_, each);
}

void Population::take_over(const Handed& handed) const {
  VolumeState& volume = parts_.world.volume(handed.volume);
  const bool is_new = !volume.pairs.contains(handed.node);
  Pair& pair = parts_.world.pair(volume, handed.node);
  // Attached is what the node's list says; all else the former build knows better.
  if (is_new || pair.phase == Phase::kAbsent || pair.phase == Phase::kUncertain) {
    pair.phase = handed.pair.phase == Phase::kAttached ? Phase::kUncertain : handed.pair.phase;
    pair.began = handed.pair.began;
  }
  pair.next = handed.pair.next;
  pair.pause = handed.pair.pause;
  pair.was_reported_busy = handed.pair.was_reported_busy;
  if (!volume.is_wanted(handed.node)) pair.unwanted_since = handed.pair.unwanted_since;
}

void Population::write(JsonWriter& out) const {
  const std::lock_guard lock(parts_.mutex);
  out.begin_object().key("pairs").begin_array();
  for (const auto& [name, volume] : parts_.world.volumes()) {
    for (const auto& [node, pair] : volume.pairs) {
      out.begin_object().member("volume", name).member("node", node);
      out.member("phase", static_cast<std::int64_t>(pair.phase));
      out.member("began", state_time(pair.began)).member("next", state_time(pair.next));
      out.member("pause", static_cast<std::int64_t>(pair.pause.count()));
      out.member("busy", pair.was_reported_busy);
      if (pair.unwanted_since) out.member("unwanted", state_time(*pair.unwanted_since));
      out.end_object();
    }
  }
  out.end_array().end_object();
}

Status Population::read(std::uint32_t /*version*/, Value state) {
  Status status;
  const StateFields fields(state, status);
  const Time now = parts_.cluster.now();
  std::vector<Handed> read;
  for (const Value each : fields.array("pairs").elements()) {
    const StateFields one = fields.element(each);
    Handed handed{.volume = one.text("volume"), .node = one.text("node"), .pair = {}};
    handed.pair.phase = static_cast<Phase>(one.integer("phase", {0, 4}));
    handed.pair.began = std::min(one.time("began"), now);
    handed.pair.pause = Duration(one.integer("pause", {0, kPauseMax}));
    handed.pair.next = std::min(one.time("next"), now + Duration(kPauseMax));
    handed.pair.was_reported_busy = one.boolean("busy");
    if (one.has("unwanted")) handed.pair.unwanted_since = one.past("unwanted", now);
    read.push_back(std::move(handed));
  }
  if (!status.ok()) return status;
  const std::lock_guard lock(mutex_);
  handed_ = std::move(read);
  return {};
}

}  // namespace davit::attachdetach
