/// The objects of dynamic resource allocation in the cluster as last seen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/kube/json.hpp"
#include "nodes/device_capacity.hpp"

namespace davit::sandbox {

/// kTaintRule last: a server without the gate DRADeviceTaintRules does not have it.
enum class DeviceKind : std::uint8_t { kClaim, kSlice, kClass, kTaintRule };
inline constexpr std::size_t kDeviceKinds = 4;
/// Reads the object's kind, which the objects of lists lack.
[[nodiscard]] std::optional<DeviceKind> device_kind(const Json& object);

/// "/apis/resource.k8s.io/v1/resourceclaims": where all objects of the kind are listed.
[[nodiscard]] std::string device_collection(DeviceKind kind);
/// The path of one object. `name`: "namespace/name" of a claim, else the name.
[[nodiscard]] std::string device_target(DeviceKind kind, const std::string& name);

/// "driver/pool/device": one device of the cluster.
[[nodiscard]] std::string device_id(std::string_view driver, std::string_view pool,
                                    std::string_view device);
/// The devices that only the claim's consumers may use: not those of admin access, and not those
/// that are shared with other claims.
[[nodiscard]] std::vector<std::string> devices_of(const Json& allocation);

/// The generation of the pool to which a slice belongs.
[[nodiscard]] std::int64_t pool_generation(const Json& slice);

/// Driver and name of a pool.
using PoolName = std::pair<std::string, std::string>;
[[nodiscard]] PoolName pool_name(const Json& slice);

/// The effect of a change on those who wait for devices.
enum class DeviceChange : std::uint8_t {
  kNone,   ///< The object is older than the known one.
  kPlain,  ///< No device became free.
  kFreed,  ///< A claim gave back its devices.
};

/// Not thread-safe. Claims are found by "namespace/name", all else by name.
class DeviceView {
 public:
  /// Sorted, as the scheduler prefers devices by the names of their slices.
  using Objects = std::map<std::string, Json>;

  /// Takes an object in unless this or a newer version is known.
  DeviceChange put(DeviceKind kind, Json object);
  /// The same for the response to a write, which must not bring back an object that is gone.
  DeviceChange refresh(DeviceKind kind, Json object);
  DeviceChange drop(DeviceKind kind, const std::string& name);
  /// All objects of all kinds have been put in.
  void set_listed() { listed_ = true; }
  [[nodiscard]] bool is_listed() const { return listed_; }

  /// Null if there is none. Lives until the object changes.
  [[nodiscard]] const Json* find(DeviceKind kind, const std::string& name) const;
  [[nodiscard]] const Objects& all(DeviceKind kind) const {
    return objects_.at(static_cast<std::size_t>(kind));
  }
  /// Whether the status of a claim has the device for its consumers alone.
  [[nodiscard]] bool is_allocated(const std::string& id) const { return uses_.contains(id); }
  /// The devices that claims share.
  [[nodiscard]] const DeviceShares& shares() const { return shares_; }
  /// The slices that may have devices for the node, or counters that those share: its own, and
  /// those of no single node.
  [[nodiscard]] std::vector<const Json*> slices_for(const std::string& node) const;
  /// The newest generation of a pool on any node, and its slices.
  struct WholePool {
    std::int64_t generation = 0;
    std::vector<const Json*> slices;
  };
  [[nodiscard]] WholePool whole_pool(const PoolName& name) const;

 private:
  [[nodiscard]] Objects& all(DeviceKind kind) {
    return objects_.at(static_cast<std::size_t>(kind));
  }
  /// Counts the devices of the claim, or no longer; says whether there were any.
  bool count(const Json& claim, int by);
  /// Keeps the indexes of slices. `slice`: as it is in objects_.
  void add_slice(const std::string& name, const Json& slice);
  void remove_slice(const std::string& name, const Json& slice);

  std::array<Objects, kDeviceKinds> objects_;
  bool listed_ = false;
  std::unordered_map<std::string, int> uses_;  // Keys are devices; counts their claims.
  std::unordered_map<std::string, std::map<std::string, const Json*>> slices_;  // Keys are nodes.
  DeviceShares shares_;
  /// Slices by generation and name.
  std::map<PoolName, std::map<std::int64_t, std::map<std::string, const Json*>>> pools_;
};

}  // namespace davit::sandbox
