/// At most 1,000 addresses (KEP-752; pkg/controller/endpoint.truncateEndpoints).
#pragma once

#include <cstddef>

#include "plugins/shared/endpoint/subset.hpp"

namespace davit::endpoint {

/// The largest number of addresses in one Endpoints object.
inline constexpr std::size_t kAddressesMax = 1000;

/// Cuts down to kAddressesMax, ready ones first, each subset in proportion. False: there was
/// nothing to cut.
[[nodiscard]] bool truncate(Subsets& subsets);

}  // namespace davit::endpoint
