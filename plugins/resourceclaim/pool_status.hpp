/// The status of pools of devices. Pure. Rule: docs/spec/dra.md, part D.
#pragma once

#include <cstdint>
#include <davit/time.hpp>
#include <map>
#include <string>
#include <string_view>

#include "plugins/resourceclaim/views.hpp"

namespace davit::resourceclaim {

/// ResourcePoolStatusRequest.
class PoolRequest : public ObjectView {
 public:
  static constexpr Resource kResource{kDevices, "v1alpha3", "resourcepoolstatusrequests",
                                      "ResourcePoolStatusRequest"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view driver() const { return spec()["driver"].string(); }
  /// Empty: all pools of the driver.
  [[nodiscard]] std::string_view pool() const { return spec()["poolName"].string(); }
  [[nodiscard]] bool has_status() const { return status().kind() == Kind::kObject; }
};

/// The slices of one pool, in its newest generation.
struct Pool {
  std::int64_t generation = 0;
  std::int64_t slices = 0;
  std::int64_t slices_wanted = 0;  ///< As the first of them says.
  std::int64_t devices = 0;
  std::int64_t allocated = 0;
  std::string node = {};
  bool is_of_one_node = true;

  [[nodiscard]] bool is_complete() const { return slices >= slices_wanted; }
};

/// The pools of a request, by name.
class Pools {
 public:
  /// The request must outlive this.
  explicit Pools(const PoolRequest& request) : request_(request) {}

  /// Slices and claims that are not about the request are ignored. Slices come before claims.
  void add(const Slice& slice);
  void add(const Claim& claim);

  /// Whether one of those that the request gets lacks slices.
  [[nodiscard]] bool lacks_slices() const;
  /// The merge patch of the status, refused with 409 if the request has changed.
  [[nodiscard]] std::string patch(WallTime now) const;

 private:
  [[nodiscard]] std::size_t returned() const;

  const PoolRequest& request_;
  std::map<std::string, Pool, std::less<>> pools_;
};

}  // namespace davit::resourceclaim
