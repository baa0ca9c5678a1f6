#include "nodes/simulated_devices.hpp"

#include <algorithm>
#include <utility>

#include "nodes/storage_view.hpp"

namespace davit::sandbox {

SimulatedDevices::SimulatedDevices(const Reflector::Seams& seams, int per_node,
                                   DevicePreparer::WakePod wake, OnChange on_change)
    : on_change_(std::move(on_change)),
      driver_({seams.api, seams.clock, seams.log.named("devices")}, view_, per_node,
              [this](Json object) { return take(std::move(object)); }),
      preparer_(
          {seams.api, seams.clock}, view_, [this](Json object) { return take(std::move(object)); },
          std::move(wake)) {
  for (std::size_t kind = 0; kind < kDeviceKinds; ++kind) {
    follow(static_cast<DeviceKind>(kind), seams);
  }
}

void SimulatedDevices::follow(DeviceKind kind, const Reflector::Seams& seams) {
  followed_.push_back(std::make_unique<Reflector>(
      seams, device_collection(kind),
      Reflector::Handlers{[this, kind](Json object) {
                            const std::string name = storage_name(object);
                            notify(kind, name, view_.put(kind, std::move(object)));
                          },
                          [this, kind](const std::string& key) {
                            const std::string name = key.front() == '/' ? key.substr(1) : key;
                            const Json* const known = std::as_const(view_).find(kind, name);
                            if (known == nullptr) return;
                            const Json last = *known;
                            const DeviceChange change = view_.drop(kind, name);
                            if (kind == DeviceKind::kSlice) driver_.slice_changed(last);
                            notify(kind, name, change);
                          }}));
}

bool SimulatedDevices::take(Json object) {
  const std::optional<DeviceKind> kind = device_kind(object);
  if (!kind) return false;
  const std::string name = storage_name(object);
  notify(*kind, name, view_.refresh(*kind, std::move(object)));
  return view_.find(*kind, name) != nullptr;
}

void SimulatedDevices::notify(DeviceKind kind, const std::string& name, DeviceChange change) {
  if (change == DeviceChange::kNone) return;
  const Json* const object = view_.find(kind, name);
  if (kind == DeviceKind::kSlice && object != nullptr) driver_.slice_changed(*object);
  if (kind == DeviceKind::kClaim) preparer_.claim_changed(name);
  on_change_(kind, name, change);
}

Time SimulatedDevices::follow() {
  Time next = Time::max();
  for (const std::unique_ptr<Reflector>& each : followed_) next = std::min(next, each->step());
  const auto rules = followed_.begin() + static_cast<std::ptrdiff_t>(DeviceKind::kTaintRule);
  const bool listed =
      std::all_of(followed_.begin(), rules, [](const auto& each) { return each->synced(); });
  if (listed && !view_.is_listed()) {
    view_.set_listed();
    driver_.begin();
    on_change_(DeviceKind::kClaim, "", DeviceChange::kFreed);
  }
  return next;
}

Time SimulatedDevices::step() { return std::min(driver_.step(), preparer_.step()); }

}  // namespace davit::sandbox
