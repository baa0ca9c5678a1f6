/// ClusterAddresses: the addresses that Services may take, out of the ready ServiceCIDRs.
#pragma once

#include <cstdint>
#include <davit/kube/ip.hpp>
#include <davit/result.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/random.hpp"
#include "sandbox/admission/admission.hpp"
#include "sandbox/kinds/service_families.hpp"

namespace davit::sandbox {

/// The ranges of a server's Services: one, or two of different families, with a comma between. The
/// first is that of the default family. kInvalid if they are something else, or one is too small or
/// too large. k8s: validateClusterIPFlags and NewIPAllocator.
[[nodiscard]] Result<std::vector<ip::Prefix>> parse_service_ranges(std::string_view text);

/// The families of such ranges, the default one first.
[[nodiscard]] ServiceFamilies served_families(std::string_view ranges);

/// The address `offset` above `address`; wraps.
[[nodiscard]] ip::Address address_after(const ip::Address& address, std::uint64_t offset);

/// An address is taken if a Service has it or an IPAddress object of its name exists (k8s:
/// pkg/registry/core/service/ipallocator). Not thread-safe.
class ClusterAddresses {
 public:
  enum class Outcome : std::uint8_t { kTaken, kNotFree, kNotInRange };

  /// `own` are the ranges of a server without a ServiceCIDR "kubernetes", at least one. `objects`
  /// and `random` must outlive it.
  ClusterAddresses(std::vector<ip::Prefix> own, const ObjectLookup& objects, Random& random)
      : own_(std::move(own)), objects_(objects), random_(random) {}

  [[nodiscard]] ip::Family default_family() const { return own_.front().family(); }
  [[nodiscard]] Outcome take(const ip::Address& address);
  /// A free address of a ready range; nothing if all are taken. The first address of the server's
  /// first range is left to default/kubernetes.
  [[nodiscard]] std::optional<ip::Address> take_any(ip::Family family);
  /// For dry runs, which look for no free address: whether a ready range has this one, and the
  /// address of the network itself.
  [[nodiscard]] bool is_in_range(const ip::Address& address) const;
  [[nodiscard]] std::optional<ip::Address> any_network(ip::Family family) const;
  /// Marks what a stored Service has as taken, by the canonical form.
  void adopt(const std::string& address) { held_.insert(address); }
  void release(const std::string& address) { held_.erase(address); }

 private:
  /// Those that Services may take addresses of the family from.
  [[nodiscard]] std::vector<ip::Prefix> ready_ranges(ip::Family family) const;
  [[nodiscard]] bool is_free(const std::string& address) const;
  [[nodiscard]] std::optional<ip::Address> take_of(const ip::Prefix& range);
  [[nodiscard]] std::optional<ip::Address> take_between(const ip::Address& first,
                                                        std::uint64_t count);

  const std::vector<ip::Prefix> own_;
  const ObjectLookup& objects_;
  Random& random_;
  std::set<std::string> held_;
};

/// The share of `size` numbers that is left to requests of a certain one.
[[nodiscard]] std::uint64_t static_band(std::uint64_t size, std::uint64_t divisor,
                                        std::uint64_t max);

}  // namespace davit::sandbox
