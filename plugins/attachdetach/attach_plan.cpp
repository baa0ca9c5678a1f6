#include "plugins/attachdetach/attach_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <davit/mutant.hpp>
#include <vector>

namespace davit::attachdetach {
namespace {

using Phase = Pair::Phase;

constexpr Duration kFirstPause = std::chrono::milliseconds(500);
constexpr Duration kLongestPause = std::chrono::seconds(122);

Step wait_until(Time then, Time now) { return {Action::kWait, then - now}; }

bool is_timed_out(const Pair& pair, Time now) { return now - pair.began >= kOperationMax; }

Step detaching(const VolumeState& volume, const Pair& pair, const Facts& facts, Time now) {
  if (!facts.is_there || !facts.is_its) return {Action::kEndDetach};
  if (facts.detach_error) return {Action::kFailDetach, {}, *facts.detach_error};
  if (!is_timed_out(pair, now)) return wait_until(pair.began + kOperationMax, now);
  return {Action::kFailDetach,
          {},
          "timed out waiting for external-attacher of unknown CSI driver to detach volume " +
              volume.source.handle};
}

Step unwanted(const Pair& pair, const Facts& facts, const std::optional<Duration>& force_after,
              Time now) {
  if (pair.phase == Phase::kAbsent) return {Action::kForget};
  if (now < pair.next) return wait_until(pair.next, now);
  const std::optional<Time> expiry = forced_from(pair, force_after);
  const bool is_expired = expiry && now > *expiry;
  const bool is_forced = facts.node_is_out_of_service || (is_expired && !facts.node_is_ready);
  if (facts.is_in_use && !is_forced && !mutant("detach-in-use")) {
    const bool will_expire = expiry && !is_expired;
    if (!will_expire) return {Action::kNothing};
    return wait_until(*expiry + std::chrono::milliseconds(1), now);
  }
  if (!pair.is_released && !mutant("detach-before-report")) return {Action::kRelease};
  return {is_forced ? Action::kForceDetach : Action::kDetach};
}

Step attaching(const VolumeState& volume, const Pair& pair, const Facts& facts, Time now) {
  if (facts.is_there && facts.is_being_deleted) return {Action::kLoseAttach};
  if (!facts.is_there && pair.was_seen) return {Action::kLoseAttach};
  if (facts.is_there && facts.is_attached) return {Action::kEndAttach};
  if (facts.is_there && facts.attach_error) {
    return {Action::kFailAttach, {}, *facts.attach_error};
  }
  if (!is_timed_out(pair, now)) return wait_until(pair.began + kOperationMax, now);
  return {Action::kFailAttach,
          {},
          "timed out waiting for external-attacher of " + volume.source.driver +
              " CSI driver to attach volume " + volume.source.handle};
}

/// The use of a volume elsewhere than on a node.
enum class Elsewhere : std::uint8_t { kFree, kChanging, kBusy };

Elsewhere elsewhere(const VolumeState& volume, const std::string& node) {
  Elsewhere out = Elsewhere::kFree;
  for (const auto& [name, pair] : volume.pairs) {
    if (name == node || pair.phase == Phase::kAbsent) continue;
    if (pair.phase == Phase::kUncertain && mutant("uncertain-elsewhere")) continue;
    if (pair.phase == Phase::kAttached || pair.phase == Phase::kUncertain) return Elsewhere::kBusy;
    out = Elsewhere::kChanging;
  }
  for (const auto& [attachment, name] : volume.strays) {
    if (name != node) return Elsewhere::kBusy;
  }
  return out;
}

}  // namespace

std::optional<Time> forced_from(const Pair& pair, const std::optional<Duration>& force_after) {
  if (!pair.unwanted_since || !force_after) return std::nullopt;
  return *pair.unwanted_since + *force_after;
}

Step next_step(const VolumeState& volume, const std::string& node, const Pair& pair,
               const Facts& facts, const std::optional<Duration>& force_after, Time now) {
  if (pair.phase == Phase::kDetaching) return detaching(volume, pair, facts, now);
  if (!volume.is_wanted(node)) return unwanted(pair, facts, force_after, now);
  if (pair.phase == Phase::kAttached) return {};
  if (pair.phase == Phase::kAttaching) return attaching(volume, pair, facts, now);
  const bool is_done = facts.is_there && facts.is_attached && !facts.is_being_deleted;
  if (now < pair.next && !is_done) return wait_until(pair.next, now);
  const bool is_shared =
      mutant("shared-by-first") ? volume.source.allows_many_nodes : facts.allows_many_nodes;
  if (!is_shared) {
    const Elsewhere use = elsewhere(volume, node);
    if (use == Elsewhere::kBusy) {
      return {pair.was_reported_busy ? Action::kNothing : Action::kReportBusy};
    }
    if (use == Elsewhere::kChanging) return {};
  }
  // A node gets no second attachment while its first one ends.
  if (facts.is_there && facts.is_being_deleted) return {};
  return {Action::kAttach};
}

void fail(Pair& pair, Time now) {
  pair.phase = Phase::kUncertain;
  pair.is_reported = false;
  pair.was_seen = false;
  pair.pause = std::clamp(pair.pause * 2, kFirstPause, kLongestPause);
  pair.next = now + pair.pause;
}

std::string busy_text(const VolumeState& volume, const std::string& node, const std::string& ns) {
  std::vector<std::string> near;
  std::size_t far = 0;
  for (const auto& [other, pods] : volume.wanted) {
    if (other == node) continue;
    for (const auto& [key, pod] : pods) {
      if (pod.ns == ns) {
        near.push_back(pod.name);
      } else {
        ++far;
      }
    }
  }
  const std::string elsewhere = std::to_string(far) + " pod(s) in different namespaces";
  if (near.empty() && far == 0) {
    return "Volume is already exclusively attached to one node and can't be attached to another";
  }
  if (near.empty()) return "Volume is already used by " + elsewhere;
  std::string out = "Volume is already used by pod(s) ";
  for (const std::string& each : near) out.append(&each == &near.front() ? "" : ", ").append(each);
  return far == 0 ? out : out + " and " + elsewhere;
}

}  // namespace davit::attachdetach
