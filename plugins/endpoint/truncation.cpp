#include "plugins/endpoint/truncation.hpp"

#include <algorithm>
#include <cmath>
#include <davit/mutant.hpp>

namespace davit::endpoint {

namespace {

using AddressList = std::vector<EndpointAddress> EndpointSubset::*;

std::size_t count_of(const Subsets& subsets, AddressList list) {
  std::size_t count = 0;
  for (const EndpointSubset& each : subsets) count += (each.*list).size();
  return count;
}

/// Leaves `quota` of each subset's `list`, in proportion to its share.
void share_out(Subsets& subsets, AddressList list, std::size_t quota) {
  const auto total = static_cast<double>(count_of(subsets, list));
  std::size_t left = quota;
  for (EndpointSubset& each : subsets) {
    std::vector<EndpointAddress>& addresses = each.*list;
    const double share = static_cast<double>(addresses.size()) / total;
    const auto wanted = static_cast<std::size_t>(std::ceil(share * static_cast<double>(quota)));
    addresses.resize(std::min({wanted, left, addresses.size()}));
    left -= addresses.size();
  }
}

}  // namespace

bool truncate(Subsets& subsets) {
  if (address_count(subsets) <= kAddressesMax || mutant("over-capacity")) return false;
  const std::size_t ready = count_of(subsets, &EndpointSubset::ready);
  if (ready > kAddressesMax) {
    for (EndpointSubset& each : subsets) each.not_ready.clear();
    share_out(subsets, &EndpointSubset::ready, kAddressesMax);
  } else {
    share_out(subsets, &EndpointSubset::not_ready, kAddressesMax - ready);
  }
  return true;
}

}  // namespace davit::endpoint
