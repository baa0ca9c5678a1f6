/// The requests of claims, read for the search for their devices. Pure.
#pragma once

#include <davit/result.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/cel/device_selector.hpp"
#include "lib/kube/json.hpp"
#include "nodes/device_pools.hpp"

namespace davit::sandbox {

/// A claim gets at most so many devices (AllocationResultsMaxSize).
inline constexpr std::size_t kDevicesPerClaim = 32;

/// A request, or one alternative of a prioritized list. Borrows from claim and class.
struct DeviceWish {
  std::string name;            ///< "request", or "request/alternative"
  std::string request;         ///< "request"
  const Json* spec = nullptr;  ///< `exactly`, or the alternative.
  const Json* device_class = nullptr;
  bool admin = false;
  bool all = false;                 ///< Every device that it selects.
  std::size_t count = 0;            ///< The number of devices.
  std::vector<std::size_t> chosen;  ///< With `all`: which offers.
};

/// The alternatives of one request; a request without a list has one.
using DeviceWishes = std::vector<DeviceWish>;

/// A claim with all that its search needs.
struct ClaimWish {
  const Json* claim = nullptr;
  std::string name;  ///< "namespace/name"
  std::vector<DeviceWishes> requests;
};

/// Whether class and request select the device.
[[nodiscard]] Result<bool> selects_device(const DeviceWish& wish, const std::string& claim,
                                          const DeviceOffer& offer,
                                          cel::DeviceSelectors& selectors);

/// Whether a taint keeps the device from the wish: one of its own or of a DeviceTaintRule. A rule
/// without selector has no device, as the API's documentation says.
[[nodiscard]] bool is_kept_away(const DeviceView& view, const DeviceWish& wish,
                                const DeviceOffer& offer);

/// Whether the device has what the wish needs of its capacity, beside the shares of others.
[[nodiscard]] bool has_capacity(const DeviceWish& wish, const DeviceOffer& offer,
                                const DeviceShares& shares);

/// The sources with which a claim is read. All borrowed.
struct WishSources {
  const DeviceView& view;
  const DeviceShares& shares;
  const std::vector<DevicePool>& pools;
  const std::vector<const DeviceOffer*>& offers;  ///< Those of all usable pools, in order.
  cel::DeviceSelectors& selectors;
};
/// Reads a claim. An error: no node will do.
[[nodiscard]] Result<ClaimWish> read_claim_wish(const Json& claim, const WishSources& sources);

/// One constraint of a claim on the devices that it gets.
class DeviceConstraint {
 public:
  enum class Kind { kSame, kDistinct };

  explicit DeviceConstraint(const Json& constraint);

  /// Whether the device goes together with those that were added; adds it if so.
  [[nodiscard]] bool add(const DeviceWish& wish, const DeviceOffer& offer);
  /// Takes the device that was added last out again.
  void remove(const DeviceWish& wish);
  [[nodiscard]] bool concerns(const DeviceWish& wish) const;
  /// The part that decides about further devices: equal texts, equal decisions.
  [[nodiscard]] std::string state() const;

 private:
  Kind kind_ = Kind::kSame;
  std::set<std::string> requests_;  // Empty: all.
  std::string attribute_;           // Fully qualified.
  std::vector<const Json*> values_;
};

}  // namespace davit::sandbox
