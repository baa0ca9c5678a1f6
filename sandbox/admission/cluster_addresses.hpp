/// ClusterAddresses: the addresses that Services may take, out of the ready ServiceCIDRs.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/random.hpp"
#include "sandbox/admission/admission.hpp"

namespace davit::sandbox {

/// A range of IPv4 addresses.
struct AddressRange {
  std::uint32_t base = 0;
  std::uint64_t size = 0;  ///< Network and broadcast addresses included.

  /// kInvalid if it is not an IPv4 range, or is too small or too large for a server's own range.
  [[nodiscard]] static Result<AddressRange> parse(std::string_view cidr);

  /// Network and broadcast addresses do not count.
  [[nodiscard]] bool has_host(std::uint32_t address) const {
    return address > base && address - base + std::uint64_t{1} < size;
  }
};

/// IPv4 only; nothing for everything else.
[[nodiscard]] std::optional<std::uint32_t> parse_ipv4(std::string_view text);
[[nodiscard]] std::string ipv4_text(std::uint32_t address);

/// An address is taken if a Service has it or an IPAddress object of its name exists (k8s:
/// pkg/registry/core/service/ipallocator). Not thread-safe.
class ClusterAddresses {
 public:
  enum class Outcome : std::uint8_t { kTaken, kNotFree, kNotInRange };

  /// `own` is the range of a server without a ServiceCIDR "kubernetes". `objects` and `random` must
  /// outlive it.
  ClusterAddresses(const AddressRange& own, const ObjectLookup& objects, Random& random)
      : own_(own), objects_(objects), random_(random) {}

  [[nodiscard]] Outcome take(std::uint32_t address);
  /// A free one of a ready range; nothing if there is none. The first address of the server's range
  /// is left to default/kubernetes.
  [[nodiscard]] std::optional<std::uint32_t> take_any();
  /// Marks what a stored Service has as taken.
  void adopt(std::uint32_t address) { held_.insert(address); }
  void release(std::uint32_t address) { held_.erase(address); }

 private:
  /// Those that Services may take addresses from.
  [[nodiscard]] std::vector<AddressRange> ready_ranges() const;
  [[nodiscard]] bool is_free(std::uint32_t address) const;
  [[nodiscard]] std::optional<std::uint32_t> take_of(const AddressRange& range);
  [[nodiscard]] std::optional<std::uint32_t> take_between(std::uint32_t first, std::uint64_t count);

  const AddressRange own_;
  const ObjectLookup& objects_;
  Random& random_;
  std::set<std::uint32_t> held_;
};

/// The share of `size` numbers that is left to requests of a certain one.
[[nodiscard]] std::uint64_t static_band(std::uint64_t size, std::uint64_t divisor,
                                        std::uint64_t max);

}  // namespace davit::sandbox
