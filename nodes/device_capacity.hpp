/// The parts of a device's capacity that requests take (kubernetes: staging/src/k8s.io/
/// dynamic-resource-allocation/structured/internal/incubating/consumable_capacity.go). Pure.
#pragma once

#include <davit/kube/quantity.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// Whether several claims can have the device at once, each with a part of its capacity.
[[nodiscard]] bool is_shareable(const Json& device);

/// Amounts by the names of capacities or counters.
using NamedAmounts = std::map<std::string, Quantity, std::less<>>;

/// The part of one capacity that a request takes.
struct CapacityPart {
  std::string name;
  Quantity amount;
  std::string text;  ///< The amount, as allocations have it.
};
using CapacityParts = std::vector<CapacityPart>;

/// The parts that a request takes of a device, one of each of its capacities: rounded up as the
/// policies of the device say, and the default or the whole where nothing is requested. `wanted`:
/// `capacity` of the request, or null. Nothing: the device lacks a capacity that is wanted, or a
/// policy allows no such amount.
[[nodiscard]] std::optional<CapacityParts> parts_of(const Json& device, const Json& wanted);

/// Whether the device has the parts beside those that others use.
[[nodiscard]] bool has_left(const Json& device, const CapacityParts& parts,
                            const NamedAmounts& used);

/// The parts of shareable devices that claims have. Not thread-safe.
class DeviceShares {
 public:
  struct Use {
    std::size_t shares = 0;
    NamedAmounts amounts;
  };

  /// Replaces what the claim with this UID has by the shares of an allocation.
  void set(const std::string& claim, const Json& allocation);
  /// Returns whether the claim had any.
  bool drop(const std::string& claim);

  [[nodiscard]] bool has(const std::string& claim) const { return claims_.contains(claim); }
  /// Null: no claim uses the device. Keys are of device_id().
  [[nodiscard]] const Use* find(const std::string& device) const;

 private:
  struct Share {
    std::string device;
    NamedAmounts amounts;
  };

  std::unordered_map<std::string, std::vector<Share>> claims_;
  std::unordered_map<std::string, Use> uses_;  // The sum of the shares of each device.
};

}  // namespace davit::sandbox
