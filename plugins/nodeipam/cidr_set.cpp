#include "plugins/nodeipam/cidr_set.hpp"

namespace davit::nodeipam {

CidrSet::CidrSet(const ClusterRange& range)
    : range_(range),
      uses_(std::uint64_t{1} << static_cast<unsigned>(range.node_mask - range.cidr.length())) {}

std::uint64_t CidrSet::index_of(const ip::Address& address) const {
  std::uint64_t index = 0;
  for (int bit = range_.cidr.length(); bit < range_.node_mask; ++bit) {
    index = index << 1U | (address.bit(bit) ? 1U : 0U);
  }
  return index;
}

ip::Prefix CidrSet::block(std::uint64_t index) const {
  ip::Address first = range_.cidr.first();
  for (int bit = range_.node_mask - 1; bit >= range_.cidr.length(); --bit, index >>= 1U) {
    if ((index & 1U) != 0) first.set_bit(bit);
  }
  return {first, range_.node_mask};
}

std::optional<Blocks> CidrSet::blocks_of(const ip::Prefix& prefix) const {
  if (!prefix.overlaps(range_.cidr)) return std::nullopt;
  if (prefix.length() <= range_.cidr.length()) return Blocks{0, size() - 1};
  return Blocks{index_of(prefix.first()), index_of(prefix.last())};
}

CidrSet::Taken CidrSet::take() {
  const std::uint64_t index = uses_.first_free(next_);
  const std::uint64_t tries = index >= next_ ? index - next_ : size() - next_ + index;
  hold({index, index});
  set_next(index + 1);
  return {block(index), tries};
}

}  // namespace davit::nodeipam
