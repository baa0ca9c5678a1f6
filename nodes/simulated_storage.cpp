#include "nodes/simulated_storage.hpp"

#include <algorithm>
#include <utility>

namespace davit::sandbox {

SimulatedStorage::SimulatedStorage(const Reflector::Seams& seams, KubeletSimulator& nodes,
                                   VolumeMounter::WakePod wake, OnChange on_change)
    : on_change_(std::move(on_change)),
      driver_({seams.api, seams.clock, seams.log.named("storage")}, view_,
              [this](Json object) { return take(std::move(object)); }),
      mounter_({seams.api, seams.clock}, view_, nodes, std::move(wake)) {
  for (std::size_t kind = 0; kind < kStorageKinds; ++kind) {
    const auto each = static_cast<StorageKind>(kind);
    if (each != StorageKind::kNode) follow(each, seams);
  }
}

void SimulatedStorage::follow(StorageKind kind, const Reflector::Seams& seams) {
  auto reflector = std::make_unique<Reflector>(
      seams, storage_collection(kind),
      Reflector::Handlers{[this, kind](Json object) {
                            const std::string name = storage_name(object);
                            if (!view_.put(kind, std::move(object))) return;
                            notify(kind, name, *view_.find(kind, name));
                          },
                          [this, kind](const std::string& key) {
                            const std::string name = key.front() == '/' ? key.substr(1) : key;
                            const Json* const known = view_.find(kind, name);
                            if (known == nullptr) return;
                            const Json last = *known;
                            view_.drop(kind, name);
                            notify(kind, name, last);
                          }});
  followed_.push_back({kind, std::move(reflector)});
}

bool SimulatedStorage::take(Json object) {
  const std::optional<StorageKind> kind = storage_kind(object);
  if (!kind) return false;
  const std::string name = storage_name(object);
  if (!view_.refresh(*kind, std::move(object))) return view_.find(*kind, name) != nullptr;
  notify(*kind, name, *view_.find(*kind, name));
  return true;
}

void SimulatedStorage::node_changed(Json node) {
  const std::string name = storage_name(node);
  const Json* const known = view_.find(StorageKind::kNode, name);
  Json before = known == nullptr ? Json() : known->get("metadata");
  if (!view_.put(StorageKind::kNode, std::move(node))) return;
  const Json& now = *view_.find(StorageKind::kNode, name);
  before.set("resourceVersion", now.get("metadata").get("resourceVersion"));
  if (before == now.get("metadata")) return;  // Heartbeats change nothing here.
  notify(StorageKind::kNode, name, now);
}

void SimulatedStorage::node_removed(const std::string& key) {
  const std::string name = key.substr(key.find('/') + 1);
  view_.drop(StorageKind::kNode, name);
  notify(StorageKind::kNode, name, Json());
}

void SimulatedStorage::notify(StorageKind kind, const std::string& name, const Json& object) {
  const Json changed = object;  // The view may replace it.
  driver_.changed(kind, name, changed);
  mounter_.changed(kind, changed);
  on_change_(kind, name);
}

Time SimulatedStorage::follow() {
  Time next = Time::max();
  for (const auto& [kind, reflector] : followed_) {
    next = std::min(next, reflector->step());
    if (!reflector->synced() || !view_.set_listed(kind)) continue;
    if (kind == StorageKind::kCapacity) driver_.look_at_capacities();
  }
  return next;
}

bool SimulatedStorage::synced() const {
  return std::all_of(followed_.begin(), followed_.end(), [](const Followed& each) {
    return each.kind == StorageKind::kCapacity || each.reflector->synced();
  });
}

void SimulatedStorage::begin() {
  driver_.begin();
  mounter_.begin();
}

Time SimulatedStorage::step() { return std::min(driver_.step(), mounter_.step()); }

}  // namespace davit::sandbox
