#include "nodes/storage_driver.hpp"

#include <algorithm>
#include <davit/kube/time.hpp>
#include <utility>

namespace davit::sandbox {
namespace {

constexpr Duration kDriverRetry = std::chrono::milliseconds(500);
constexpr int kDriverDoublingsMax = 6;  // 32 s.

}  // namespace

StorageDriver::StorageDriver(Seams seams, const StorageView& view, Take take)
    : seams_(std::move(seams)),
      view_(view),
      take_(std::move(take)),
      to_create_{id_of({StorageKind::kDriver, kStorageDriver}),
                 id_of({StorageKind::kClass, kDefaultStorageClass}),
                 id_of({StorageKind::kClass, kZonalStorageClass})} {}

std::string StorageDriver::id_of(const Item& item) {
  return static_cast<char>('0' + static_cast<int>(item.kind)) + item.name;
}

StorageDriver::Item StorageDriver::item_of(const std::string& id) {
  return {static_cast<StorageKind>(id.front() - '0'), id.substr(1)};
}

void StorageDriver::changed(StorageKind kind, const std::string& name, const Json& object) {
  look_at(kind, name);
  switch (kind) {
    case StorageKind::kClaim:
      if (const std::string& volume = object.text_at({"spec", "volumeName"}); !volume.empty()) {
        look_at(StorageKind::kVolume, volume);
        look_at_attachments(volume);
      }
      return;
    case StorageKind::kVolume:
      look_at(StorageKind::kClaim, claim_of(object));
      look_at(StorageKind::kClass, storage_class_of(object));
      return look_at_attachments(name);
    case StorageKind::kAttachment: {
      const std::string& volume = object.text_at({"spec", "source", "persistentVolumeName"});
      look_at(StorageKind::kVolume, volume);
      return look_at_attachments(volume);
    }
    case StorageKind::kCsiNode:
      look_at(StorageKind::kNode, name);
      return place(name);
    case StorageKind::kClass:
      look_at_claims();
      return look_at_capacities();
    case StorageKind::kNode:
      if (view_.find(kind, name) == nullptr) look_at_claims();  // It may be a selected one.
      return place(name);
    case StorageKind::kCapacity:
      return look_at(StorageKind::kClass, object.text_at({"storageClassName"}));
    case StorageKind::kDriver:
      return;
  }
}

void StorageDriver::look_at(StorageKind kind, const std::string& name) {
  if (!begun_) return;
  const std::string id = id_of({kind, name});
  if (view_.find(kind, name) != nullptr) {
    to_create_.erase(id);  // It is there; if it is deleted later, it stays so.
  } else if (!to_create_.contains(id)) {
    work_.erase(id);
    return due_.drop(id);
  }
  const auto work = work_.find(id);
  const Time now = seams_.clock.now();
  due_.set(id, work == work_.end() ? now : std::max(now, work->second.not_before));
}

void StorageDriver::look_at_attachments(const std::string& volume) {
  for (const auto& [name, each] : view_.all(StorageKind::kAttachment)) {
    if (each.text_at({"spec", "source", "persistentVolumeName"}) == volume) {
      look_at(StorageKind::kAttachment, name);
    }
  }
}

void StorageDriver::look_at_claims() {
  for (const auto& [name, claim] : view_.all(StorageKind::kClaim)) {
    if (!is_bound(claim)) look_at(StorageKind::kClaim, name);
  }
}

void StorageDriver::look_at_capacities() {
  for (const StorageKind kind : {StorageKind::kClass, StorageKind::kCapacity}) {
    for (const auto& [name, object] : view_.all(kind)) look_at(kind, name);
  }
}

void StorageDriver::place(const std::string& node) {
  const Json* const object = view_.find(StorageKind::kNode, node);
  std::optional<StorageSegment> now;
  if (object != nullptr && view_.find(StorageKind::kCsiNode, node) != nullptr) {
    now = segment_of(*object).value_or(StorageSegment{});
  }
  const auto known = places_.find(node);
  if (now ? known != places_.end() && known->second == *now : known == places_.end()) return;
  bool has_changed = false;
  if (known != places_.end()) {
    const auto left = segments_.find(known->second);
    if (--left->second == 0) {
      segments_.erase(left);
      has_changed = true;
    }
    places_.erase(known);
  }
  if (now) {
    if (++segments_[*now] == 1) has_changed = true;
    places_.emplace(node, *std::move(now));
  }
  if (has_changed) look_at_capacities();
}

void StorageDriver::begin() {
  begun_ = true;
  for (const std::string& id : to_create_) due_.set(id, seams_.clock.now());
  for (std::size_t kind = 0; kind < kStorageKinds; ++kind) {
    const auto each_kind = static_cast<StorageKind>(kind);
    for (const auto& [name, object] : view_.all(each_kind)) look_at(each_kind, name);
  }
}

Time StorageDriver::step() {
  const Time now = seams_.clock.now();
  while (const std::optional<std::string> id = due_.take(now)) consider(*id);
  return due_.next();
}

StorageStep StorageDriver::next_step(const Item& item) const {
  const Json* const object = view_.find(item.kind, item.name);
  if (to_create_.contains(id_of(item)) && object == nullptr) {
    StorageStep step;
    step.operation = "create";
    step.call = ApiCall{
        "POST", storage_collection(item.kind),
        to_text(item.kind == StorageKind::kDriver ? csi_driver() : storage_class(item.name)),
        "application/json"};
    return step;
  }
  if (object == nullptr) return {};
  switch (item.kind) {
    case StorageKind::kClaim:
      return claim_step(view_, *object);
    case StorageKind::kVolume:
      return volume_step(view_, *object);
    case StorageKind::kAttachment:
      return attachment_step(view_, *object, format_time(seams_.clock.wall_now()));
    case StorageKind::kNode:
      return node_step(view_, *object);
    case StorageKind::kClass:
      return capacity_step(view_, segments_, *object);
    case StorageKind::kCapacity:
      return published_step(view_, segments_, *object);
    case StorageKind::kDriver:
    case StorageKind::kCsiNode:
      break;
  }
  return {};
}

void StorageDriver::consider(const std::string& id) {
  const Item item = item_of(id);
  StorageStep step = next_step(item);
  if (step.operation == nullptr) {
    const auto found = work_.find(id);
    if (found != work_.end() && !found->second.writing) work_.erase(found);
    return;
  }
  Work& work = work_[id];
  if (work.writing) return;  // The response brings us back here.
  const Time now = seams_.clock.now();
  if (work.operation != step.operation) {
    work = Work{step.operation, now, false, 0, now};
    post_event(item, step.begun);
  }
  const Time due = std::max(work.not_before, work.since + step.after);
  if (now < due) return due_.set(id, due);
  if (step.call) return write(id, std::move(step));
  post_event(item, step.failed);
  due_.set(id, now + pause_of(work));  // A change of the object is a reason to try at once.
}

void StorageDriver::write(const std::string& id, StorageStep step) {
  work_[id].writing = true;
  ApiCall call = std::move(*step.call);
  seams_.api.send(std::move(call), [this, id, step = std::move(step)](const ApiResponse& response) {
    written(id, step, response);
  });
}

void StorageDriver::written(const std::string& id, const StorageStep& step,
                            const ApiResponse& response) {
  const Item item = item_of(id);
  const Time now = seams_.clock.now();
  Work& work = work_[id];
  work.writing = false;
  const bool conflict = response.is_conflict();
  if (response.ok() || (conflict && std::string_view(step.operation) == "create")) {
    to_create_.erase(id);
    work.failures = 0;
    work.not_before = now;
    post_event(item, step.done);
    Result<Json> object = parse_json(response.body);
    if (object && take_(std::move(*object))) return look_at(item.kind, item.name);
    // Objects that were created or deleted show in the watch.
    due_.set(id, now + kDriverRetry);
    return;
  }
  if (conflict || response.is_missing()) {
    due_.set(id, now + kDriverRetry);  // Unless the watch reports the change earlier.
    return;
  }
  if (!response.may_pass()) {
    seams_.log.info(1, "Storage driver refused", {{"object", item.name}, {"err", response.text()}});
  }
  work.not_before = now + std::max(pause_of(work), response.retry_after);
  due_.set(id, work.not_before);
}

Duration StorageDriver::pause_of(Work& work) {
  const Duration pause = kDriverRetry * (1 << std::min(work.failures, kDriverDoublingsMax));
  ++work.failures;
  return pause;
}

void StorageDriver::post_event(const Item& item, const std::optional<StorageEvent>& event) {
  const Json* const object = view_.find(item.kind, item.name);
  if (!event || object == nullptr) return;
  const char* const kind =
      item.kind == StorageKind::kClaim ? "PersistentVolumeClaim" : "PersistentVolume";
  seams_.api.send(
      {"POST", event_target(*object),
       to_text(event_body(kind, *object, *event, seams_.clock.wall_now())), "application/json"},
      [](const ApiResponse&) {});  // Events are for people; a lost one is no harm.
}

}  // namespace davit::sandbox
