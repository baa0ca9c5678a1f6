/// Pools of addresses. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/kube/selector.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/pools/addresses.hpp"

namespace davit::pools {

/// An entry of a pool's `addresses`.
struct Block {
  Range range;
  bool is_cidr = false;
};

/// A pool as the configuration has it. Rule: docs/spec/cloud.md, F1.
struct Pool {
  std::string name;
  std::vector<Block> blocks;
  bool is_auto = true;          ///< Given out without being asked for.
  bool allows_requests = true;  ///< A Service may ask for one of its addresses.
  bool skips_ends = false;      ///< Not the first and last address of a CIDR.
  bool skips_dot_0_and_255 = false;
  std::int64_t priority = 0;            ///< Lower first; 0: last.
  std::vector<std::string> namespaces;  ///< Empty: all.
  std::optional<Selector> services;     ///< Nothing: all.

  /// Whether a Service of this namespace with these labels may have its addresses.
  [[nodiscard]] bool fits(std::string_view ns, Value labels) const;
  /// Whether `address` is one that it gives out.
  [[nodiscard]] bool has(const Address& address) const;
  [[nodiscard]] bool has(Family family) const;
  /// Whether `address`, which is in `block`, is one that it gives out.
  [[nodiscard]] bool gives(const Block& block, const Address& address) const;
  /// The number of addresses of its blocks, 2^63 at most.
  [[nodiscard]] std::uint64_t size(Family family) const;
};

/// Pools in the order of the configuration.
using Pools = std::vector<Pool>;

/// The pool that has the address; null: none.
[[nodiscard]] const Pool* pool_of(const Pools& pools, const Address& address);

/// The pools that fit, as indexes, in the order in which they are tried: those for some namespaces
/// or Services before those for all, then by priority. Rule: F3.5.
[[nodiscard]] std::vector<std::size_t> fitting_pools(const Pools& pools, std::string_view ns,
                                                     Value labels);

}  // namespace davit::pools
