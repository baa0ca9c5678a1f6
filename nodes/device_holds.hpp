/// The devices that pods are about to get.
#pragma once

#include <map>
#include <set>
#include <string>

#include "lib/kube/json.hpp"
#include "nodes/device_capacity.hpp"

namespace davit::sandbox {

/// Keeps devices and claims from other pods until the claims show their allocation. A write may
/// succeed after its pod is gone, so what it allocates stays held until its result is known.
/// Not thread-safe.
class DeviceHolds {
 public:
  /// Allocations by the UIDs of their claims.
  using Allocations = std::map<std::string, Json>;

  /// Holds what the pod gets, beside what an earlier write of the pod still holds.
  void hold(const std::string& pod_uid, const Allocations& allocations);
  /// A write for the pod has been sent; at most one at a time.
  void begin_write(const std::string& pod_uid);
  /// Its result is known. Returns whether that frees devices.
  bool end_write(const std::string& pod_uid);
  /// The pod needs its holds no more. Returns whether that frees devices.
  bool release(const std::string& pod_uid);

  [[nodiscard]] bool has_device(const std::string& id) const { return devices_.contains(id); }
  /// Adds the shares of devices. A claim that shows its allocation already counts once.
  void add_shares(DeviceShares& shares) const;
  /// The UIDs of the claims.
  [[nodiscard]] const std::set<std::string>& claims() const { return claims_; }

 private:
  struct Hold {
    std::set<std::string> claims;
    std::set<std::string> devices;
    Allocations with_shares;
    bool is_writing = false;
    bool is_released = false;  // Ends with the write.
  };

  bool drop(const std::string& pod_uid);

  std::map<std::string, Hold> holds_;  // Keys are UIDs of pods.
  std::set<std::string> devices_;      // Those of all holds; none is in two of them.
  std::set<std::string> claims_;       // The same.
};

}  // namespace davit::sandbox
