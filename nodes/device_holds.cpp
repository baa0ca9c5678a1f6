#include "nodes/device_holds.hpp"

#include <algorithm>
#include <utility>

#include "nodes/device_view.hpp"

namespace davit::sandbox {
namespace {

bool has_shares(const Json& allocation) {
  const Json::Items& results = allocation.get("devices").get("results").items();
  return std::any_of(results.begin(), results.end(),
                     [](const Json& each) { return each.contains("shareID"); });
}

}  // namespace

void DeviceHolds::hold(const std::string& pod_uid, const Allocations& allocations) {
  if (allocations.empty()) return;
  Hold& hold = holds_[pod_uid];
  hold.is_released = false;
  for (const auto& [uid, allocation] : allocations) {
    hold.claims.insert(uid);
    claims_.insert(uid);
    if (has_shares(allocation)) hold.with_shares.insert_or_assign(uid, allocation);
    for (std::string& each : devices_of(allocation)) {
      devices_.insert(each);
      hold.devices.insert(std::move(each));
    }
  }
}

void DeviceHolds::begin_write(const std::string& pod_uid) {
  const auto found = holds_.find(pod_uid);
  if (found != holds_.end()) found->second.is_writing = true;
}

bool DeviceHolds::end_write(const std::string& pod_uid) {
  const auto found = holds_.find(pod_uid);
  if (found == holds_.end()) return false;
  found->second.is_writing = false;
  return found->second.is_released && drop(pod_uid);
}

bool DeviceHolds::release(const std::string& pod_uid) {
  const auto found = holds_.find(pod_uid);
  if (found == holds_.end()) return false;
  found->second.is_released = true;
  return !found->second.is_writing && drop(pod_uid);
}

bool DeviceHolds::drop(const std::string& pod_uid) {
  const Hold hold = std::move(holds_.extract(pod_uid).mapped());
  for (const std::string& each : hold.claims) claims_.erase(each);
  for (const std::string& each : hold.devices) devices_.erase(each);
  return !hold.devices.empty() || !hold.with_shares.empty();
}

void DeviceHolds::add_shares(DeviceShares& shares) const {
  for (const auto& [pod, hold] : holds_) {
    for (const auto& [uid, allocation] : hold.with_shares) shares.set(uid, allocation);
  }
}

}  // namespace davit::sandbox
