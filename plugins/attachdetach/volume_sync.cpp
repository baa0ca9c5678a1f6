#include "plugins/attachdetach/volume_sync.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "plugins/attachdetach/names.hpp"
#include "plugins/shared/nodes/node_ready.hpp"

namespace davit::attachdetach {
namespace {

using Phase = Pair::Phase;

constexpr std::string_view kFailedAttach = "FailedAttachVolume";

std::string attachment_body(const Source& source, const std::string& node) {
  JsonWriter out;
  out.begin_object().member("apiVersion", "storage.k8s.io/v1").member("kind", "VolumeAttachment");
  out.key("metadata").begin_object().member("name", attachment_name(source, node)).end_object();
  out.key("spec").begin_object().member("attacher", source.driver).member("nodeName", node);
  out.key("source").begin_object().member("persistentVolumeName", source.persistent_volume);
  out.end_object().end_object().end_object();
  return std::move(out).text();
}

bool is_of(const volumes::Attachment& attachment, const Source& source, const std::string& node) {
  return attachment.driver() == source.driver && attachment.node_name() == node;
}

std::optional<std::string> error_text(const volumes::Attachment& attachment,
                                      std::string_view member) {
  const Value error = attachment.status()[member];
  if (error.kind() != Kind::kObject) return std::nullopt;
  return std::string(error["message"].string());
}

}  // namespace

Result<Again> VolumeSync::operator()(const Key& key) const {
  population_.ensure();
  std::vector<Place> places;
  std::string name;
  {
    const std::lock_guard lock(parts_.mutex);
    const VolumeState* volume = parts_.world.find_hash(key.name);
    if (volume == nullptr) return Again::when_changed();
    name = volume->source.name;
    for (const auto& [node, pair] : volume->pairs) {
      places.push_back({name, node, parts_.world.source_on(*volume, node)});
    }
    // First those that free the volume for others.
    std::stable_partition(places.begin(), places.end(),
                          [volume](const Place& each) { return !volume->is_wanted(each.node); });
  }
  Duration after = Duration::zero();
  Status error;
  for (const Place& each : places) {
    const Result<Rest> rest = drive(each);
    if (!rest) {
      error = rest.error();
      if (error.code() == Code::kCancelled) return error;
    } else if (rest->after > Duration::zero()) {
      after = after > Duration::zero() ? std::min(after, rest->after) : rest->after;
    }
  }
  const std::lock_guard lock(parts_.mutex);
  parts_.world.prune(name);
  parts_.metrics.count(name, parts_.world.find(name));
  if (!error.ok()) return error;
  return after > Duration::zero() ? Again::after(after) : Again::when_changed();
}

Result<VolumeSync::Rest> VolumeSync::drive(const Place& place) const {
  constexpr int kStepsMax = 8;
  if (Status s = verify(place); !s.ok()) return s;
  Result<Rest> rest = Rest{};
  for (int i = 0; i < kStepsMax; ++i) {
    const Facts facts = look(place);
    rest = carry_out(place, plan(place, facts), facts);
    if (!rest || !rest->continues) return rest;
  }
  return rest;
}

Facts VolumeSync::look(const Place& place) const {
  Facts out;
  out.allows_many_nodes = place.source.allows_many_nodes;
  const Lookup<Node> node = parts_.nodes.get("", place.node);
  if (node) {
    out.node_is_ready = nodes::is_ready(*node);
    out.node_is_out_of_service = is_out_of_service(*node);
    out.is_in_use = in_use_on(*node).contains(place.volume);
  } else {
    // A node that was never seen is taken to use the volume.
    const std::lock_guard lock(parts_.mutex);
    const auto state = parts_.world.nodes.find(place.node);
    out.is_in_use =
        state == parts_.world.nodes.end() || state->second.in_use.contains(place.volume);
  }
  if (place.source.driver.empty()) return out;
  const Lookup<volumes::Attachment> attachment =
      parts_.attachments.get("", attachment_name(place.source, place.node));
  if (!attachment) return out;
  out.is_there = true;
  out.is_its = is_of(*attachment, place.source, place.node);
  out.is_attached = attachment->is_attached() && out.is_its;
  out.is_being_deleted = attachment->is_being_deleted();
  out.attach_error = error_text(*attachment, "attachError");
  out.detach_error = error_text(*attachment, "detachError");
  return out;
}

Step VolumeSync::plan(const Place& place, const Facts& facts) const {
  const std::lock_guard lock(parts_.mutex);
  VolumeState* volume = parts_.world.find(place.volume);
  if (volume == nullptr || !volume->pairs.contains(place.node)) return {};
  Pair& pair = volume->pairs.at(place.node);
  const Time now = parts_.cluster.now();
  if (volume->is_wanted(place.node)) {
    if (pair.unwanted_since && pair.phase != Phase::kDetaching) {
      pair.unwanted_since.reset();
      pair.pause = Duration::zero();
      pair.next = now;
      pair.decision = 0;
      if (pair.phase == Phase::kAttached) change_report(pair, place.node, true);
    }
  } else if (!pair.unwanted_since) {
    pair.unwanted_since = now;
    pair.was_reported_busy = false;
    pair.pause = Duration::zero();
    pair.next = now;
  }
  if (pair.phase == Phase::kAttaching && facts.is_there) pair.was_seen = true;
  return next_step(*volume, place.node, pair, facts, parts_.options.force_after, now);
}

Result<VolumeSync::Rest> VolumeSync::carry_out(const Place& place, const Step& step,
                                               const Facts& facts) const {
  switch (step.action) {
    case Action::kNothing:
      return Rest{};
    case Action::kWait:
      return Rest{.after = step.after};
    case Action::kRelease:
      release(place);
      return Rest{};
    case Action::kDetach:
      return detach(place, false);
    case Action::kForceDetach:
      return detach(place, true);
    case Action::kEndDetach:
      return end_detach(place);
    case Action::kFailDetach:
      return fail_detach(place, step.text);
    case Action::kAttach:
      return attach(place, facts);
    case Action::kEndAttach:
      return end_attach(place);
    case Action::kFailAttach:
      return fail_attach(place, step.text);
    case Action::kReportBusy:
      warn_pods(place, true);
      return Rest{};
    case Action::kLoseAttach: {
      const std::lock_guard lock(parts_.mutex);
      fail(parts_.world.find(place.volume)->pairs.at(place.node), parts_.cluster.now());
      return Rest{.continues = true};
    }
    case Action::kForget: {
      const std::lock_guard lock(parts_.mutex);
      parts_.world.erase(*parts_.world.find(place.volume), place.node);
      return Rest{};
    }
  }
  return Rest{};
}

Status VolumeSync::verify(const Place& place) const {
  {
    const std::lock_guard lock(parts_.mutex);
    const VolumeState* volume = parts_.world.find(place.volume);
    const auto found = volume->pairs.find(place.node);
    if (found == volume->pairs.end() || !found->second.is_suspect) return {};
    if (found->second.phase != Phase::kAttached) return {};
  }
  const std::string name = attachment_name(place.source, place.node);
  const Lookup<volumes::Attachment> cached = parts_.attachments.get("", name);
  bool is_there = cached.has_value();
  bool is_attached = is_there && cached->is_attached();
  if (!is_there) {
    const Result<volumes::Attachment> live =
        parts_.cluster.client().get<volumes::Attachment>({"", name});
    if (!live && live.error().code() != Code::kNotFound) return live.error();
    is_there = live.has_value();
    is_attached = is_there && live->is_attached();
  }
  const std::lock_guard lock(parts_.mutex);
  Pair& pair = parts_.world.find(place.volume)->pairs.at(place.node);
  pair.is_suspect = false;
  if (is_attached) return {};
  pair.phase = is_there ? Phase::kUncertain : Phase::kAbsent;
  change_report(pair, place.node, false);
  return {};
}

void VolumeSync::change_report(Pair& pair, const std::string& node, bool is_reported) const {
  pair.is_reported = is_reported;
  pair.is_released = false;
  parts_.add_node(node);
}

void VolumeSync::release(const Place& place) const {
  const std::lock_guard lock(parts_.mutex);
  Pair& pair = parts_.world.find(place.volume)->pairs.at(place.node);
  if (pair.decision == 0) pair.decision = ++parts_.world.decisions;
  change_report(pair, place.node, false);
}

Result<VolumeSync::Rest> VolumeSync::attach(const Place& place, const Facts& facts) const {
  const bool is_refused = place.source.is_refused() && !facts.is_there;
  if (is_refused) {
    warn_pods(place, false);
    return Rest{};
  }
  if (facts.is_there && !facts.is_its) {
    return fail_attach(place, "VolumeAttachment " + attachment_name(place.source, place.node) +
                                  " is of another driver or node");
  }
  {
    const std::lock_guard lock(parts_.mutex);
    const VolumeState& volume = *parts_.world.find(place.volume);
    const auto wanted = volume.wanted.find(place.node);
    if (wanted == volume.wanted.end()) return Rest{};
    Pair& pair = parts_.world.find(place.volume)->pairs.at(place.node);
    pair.phase = Phase::kAttaching;
    pair.began = parts_.cluster.now();
    pair.was_seen = false;
    pair.decision = 0;
    pair.waiting.clear();
    for (const auto& [key, pod] : wanted->second) pair.waiting.push_back(key);
  }
  if (place.source.driver.empty()) return end_attach(place);
  if (facts.is_there) return Rest{.continues = true};
  const Result<volumes::Attachment> made = parts_.cluster.client().create<volumes::Attachment>(
      "", attachment_body(place.source, place.node), {.answer = Answer::kMetadata});
  if (made || made.error().code() == Code::kAlreadyExists) return Rest{.after = kOperationMax};
  if (made.error().code() == Code::kCancelled) {
    const std::lock_guard lock(parts_.mutex);
    parts_.world.find(place.volume)->pairs.at(place.node).phase = Phase::kUncertain;
    return made.error();
  }
  return fail_attach(place, "kubernetes.io/csi: attacher.Attach failed: " + made.error().message());
}

VolumeSync::Rest VolumeSync::end_attach(const Place& place) const {
  const std::lock_guard lock(parts_.mutex);
  VolumeState& volume = *parts_.world.find(place.volume);
  Pair& pair = volume.pairs.at(place.node);
  pair.phase = Phase::kAttached;
  pair.pause = Duration::zero();
  pair.next = parts_.cluster.now();
  change_report(pair, place.node, true);
  parts_.metrics.ended("volume_attach", place.source, true, parts_.cluster.now() - pair.began);
  const std::string text =
      "AttachVolume.Attach succeeded for volume \"" + place.source.title + "\" ";
  const auto wanted = volume.wanted.find(place.node);
  for (const std::string& key : pair.waiting) {
    if (wanted == volume.wanted.end() || !wanted->second.contains(key)) continue;
    const PodName& pod = wanted->second.at(key);
    parts_.cluster.events().record(Pod::kResource, EventSubject{pod.ns, pod.name, pod.uid, {}},
                                   "Normal", "SuccessfulAttachVolume", text);
  }
  return Rest{};
}

VolumeSync::Rest VolumeSync::fail_attach(const Place& place, std::string_view text) const {
  const std::lock_guard lock(parts_.mutex);
  VolumeState& volume = *parts_.world.find(place.volume);
  Pair& pair = volume.pairs.at(place.node);
  const Time now = parts_.cluster.now();
  if (pair.phase == Phase::kAttaching) {
    parts_.metrics.ended("volume_attach", place.source, false, now - pair.began);
  }
  fail(pair, now);
  parts_.cluster.log().warning("Attaching a volume failed",
                               {{"volume", place.volume}, {"node", place.node}, {"error", text}});
  const std::string message =
      "AttachVolume.Attach failed for volume \"" + place.source.title + "\" : " + std::string(text);
  const auto wanted = volume.wanted.find(place.node);
  if (wanted == volume.wanted.end()) return Rest{.continues = true};
  for (const auto& [key, pod] : wanted->second) {
    parts_.cluster.events().record(Pod::kResource, EventSubject{pod.ns, pod.name, pod.uid, {}},
                                   "Warning", kFailedAttach, message);
  }
  return Rest{.continues = true};
}

void VolumeSync::warn_pods(const Place& place, bool is_busy) const {
  const std::lock_guard lock(parts_.mutex);
  VolumeState& volume = *parts_.world.find(place.volume);
  Pair& pair = volume.pairs.at(place.node);
  if (pair.was_reported_busy) return;
  pair.was_reported_busy = true;
  const auto wanted = volume.wanted.find(place.node);
  if (wanted == volume.wanted.end()) return;
  for (const auto& [key, pod] : wanted->second) {
    const std::string text = is_busy ? "Multi-Attach error for volume \"" + place.source.title +
                                           "\" " + busy_text(volume, place.node, pod.ns)
                                     : "inline volume \"" + place.source.title +
                                           "\" of a migrated plugin is not supported";
    parts_.cluster.events().record(Pod::kResource, EventSubject{pod.ns, pod.name, pod.uid, {}},
                                   "Warning", kFailedAttach, text);
  }
}

Result<VolumeSync::Rest> VolumeSync::detach(const Place& place, bool is_forced) const {
  std::string_view reason;
  const Result<std::string> why = why_not(place, is_forced, reason);
  if (!why) {
    if (why.error().code() == Code::kCancelled) return why.error();
    return fail_detach(place, why.error().message());
  }
  if (!why->empty()) return fail_detach(place, *why);
  {
    const std::lock_guard lock(parts_.mutex);
    VolumeState& volume = *parts_.world.find(place.volume);
    Pair& pair = volume.pairs.at(place.node);
    // Since the plan was made, a pod may need the volume again, or the check may have found it on
    // the server's list.
    if (volume.is_wanted(place.node)) return Rest{.continues = true};
    if (!pair.is_released && !mutant("detach-before-report")) return Rest{};
    pair.phase = Phase::kDetaching;
    pair.began = parts_.cluster.now();
    if (!reason.empty()) parts_.metrics.forced(reason);
  }
  if (place.source.driver.empty()) return end_detach(place);
  return remove(place);
}

Result<std::string> VolumeSync::why_not(const Place& place, bool is_forced,
                                        std::string_view& reason) const {
  const Result<Node> node = parts_.cluster.client().get<Node>({"", place.node});
  if (!node && node.error().code() != Code::kNotFound) return node.error();
  if (node && node->name() != place.node)
    return Status(Code::kUnavailable, "another node answered");
  const std::lock_guard lock(parts_.mutex);
  Pair& pair = parts_.world.find(place.volume)->pairs.at(place.node);
  const std::optional<Time> expiry = forced_from(pair, parts_.options.force_after);
  const bool is_expired = expiry && parts_.cluster.now() > *expiry;
  const bool is_still_forced =
      !node || is_out_of_service(*node) || (is_expired && !nodes::is_ready(*node));
  if (is_forced && is_still_forced) reason = is_expired ? "timeout" : "out-of-service";
  if (!node) return std::string();
  if (attached_on(*node).contains(place.volume)) {
    pair.is_released = false;
    pair.decision = ++parts_.world.decisions;
    parts_.world.nodes[place.node].must_write = true;
    parts_.add_node(place.node);
    reason = {};
    return std::string();
  }
  const bool is_safe = is_forced && is_still_forced;
  if (!is_safe && in_use_on(*node).contains(place.volume) && !mutant("detach-in-use")) {
    return std::string("volume is still in use by node, according to Node status");
  }
  return std::string();
}

Result<VolumeSync::Rest> VolumeSync::remove(const Place& place) const {
  const Key key{"", attachment_name(place.source, place.node)};
  std::string uid;
  if (const Lookup<volumes::Attachment> cached = parts_.attachments.get(key)) {
    if (!is_of(*cached, place.source, place.node)) return end_detach(place);
    uid = cached->uid();
  } else {
    const Result<volumes::Attachment> live = parts_.cluster.client().get<volumes::Attachment>(key);
    if (!live && live.error().code() == Code::kNotFound) return end_detach(place);
    if (!live) return fail_detach(place, live.error().message());
    if (!is_of(*live, place.source, place.node)) return end_detach(place);
    uid = live->uid();
  }
  const Status removed =
      parts_.cluster.client().remove<volumes::Attachment>(key, {.uid = std::move(uid)});
  if (removed.code() == Code::kNotFound) return end_detach(place);
  if (!removed.ok()) return fail_detach(place, removed.message());
  return Rest{.continues = true};
}

VolumeSync::Rest VolumeSync::end_detach(const Place& place) const {
  const std::lock_guard lock(parts_.mutex);
  VolumeState& volume = *parts_.world.find(place.volume);
  const Pair pair = volume.pairs.at(place.node);
  parts_.metrics.ended("volume_detach", place.source, true, parts_.cluster.now() - pair.began);
  parts_.world.erase(volume, place.node);
  if (volume.is_wanted(place.node)) static_cast<void>(parts_.world.pair(volume, place.node));
  // Other nodes may have waited, also those that this sync has looked at before.
  if (!volume.pairs.empty()) parts_.add_volume(place.volume);
  return Rest{};
}

VolumeSync::Rest VolumeSync::fail_detach(const Place& place, std::string_view text) const {
  const std::lock_guard lock(parts_.mutex);
  Pair& pair = parts_.world.find(place.volume)->pairs.at(place.node);
  if (pair.phase == Phase::kDetaching) {
    parts_.metrics.ended("volume_detach", place.source, false, parts_.cluster.now() - pair.began);
  }
  fail(pair, parts_.cluster.now());
  parts_.cluster.log().warning("Detaching a volume failed",
                               {{"volume", place.volume}, {"node", place.node}, {"error", text}});
  return Rest{.continues = true};
}

}  // namespace davit::attachdetach
