#include "plugins/pools/pool.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace davit::pools {

bool Pool::fits(std::string_view ns, Value labels) const {
  const bool is_for_namespace =
      namespaces.empty() || std::find(namespaces.begin(), namespaces.end(), ns) != namespaces.end();
  return is_for_namespace && (!services || services->matches(labels));
}

bool Pool::has(const Address& address) const {
  return std::any_of(blocks.begin(), blocks.end(), [&](const Block& each) {
    return each.range.contains(address) && gives(each, address);
  });
}

bool Pool::has(Family family) const {
  return std::any_of(blocks.begin(), blocks.end(),
                     [&](const Block& each) { return each.range.first.family == family; });
}

bool Pool::gives(const Block& block, const Address& address) const {
  constexpr std::size_t kLastByte = 3;
  constexpr std::uint8_t kMost = 255;
  if (skips_ends && block.is_cidr &&
      (address == block.range.first || address == block.range.last)) {
    return false;
  }
  const std::uint8_t last = address.bytes[kLastByte];
  return !skips_dot_0_and_255 || address.family == Family::kIPv6 || (last != 0 && last != kMost);
}

std::uint64_t Pool::size(Family family) const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  std::uint64_t out = 0;
  for (const Block& each : blocks) {
    if (each.range.first.family != family) continue;
    const std::uint64_t more = size_of(each.range);
    out = more > kMost - out ? kMost : out + more;
  }
  return out;
}

const Pool* pool_of(const Pools& pools, const Address& address) {
  const auto found =
      std::find_if(pools.begin(), pools.end(), [&](const Pool& each) { return each.has(address); });
  return found == pools.end() ? nullptr : &*found;
}

std::vector<std::size_t> fitting_pools(const Pools& pools, std::string_view ns, Value labels) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    if (pools[i].fits(ns, labels)) out.push_back(i);
  }
  const auto rank = [&pools](std::size_t index) {
    const Pool& pool = pools[index];
    const bool is_for_all = pool.namespaces.empty() && !pool.services;
    return std::pair(is_for_all,
                     pool.priority == 0 ? std::numeric_limits<std::int64_t>::max() : pool.priority);
  };
  std::stable_sort(out.begin(), out.end(),
                   [&rank](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return out;
}

}  // namespace davit::pools
