/// Derives the endpoints to mirror from an Endpoints object. Rule: docs/spec/small-controllers.md,
/// B4.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "plugins/shared/endpoint/ip_address.hpp"
#include "plugins/shared/endpoint/slice_endpoint.hpp"
#include "plugins/shared/endpoint/subset.hpp"

namespace davit::endpointslicemirroring {

/// The endpoints of one slice: they share an address family and a set of ports, as as_group() has
/// it.
using MirrorGroup = std::pair<endpoint::IpFamily, endpoint::SlicePorts>;

struct WantedMirror {
  /// For each set of ports both families, also without endpoints.
  std::map<MirrorGroup, std::vector<endpoint::SliceEndpoint>> groups;
  std::size_t invalid = 0;  ///< Addresses that cannot be read.
  std::size_t skipped = 0;  ///< Addresses that are not mirrored, the invalid ones among them.
};

/// `endpoints_max`: the most addresses of a subset, of both families together.
[[nodiscard]] WantedMirror wanted_mirror(const endpoint::Subsets& subsets,
                                         std::size_t endpoints_max);

}  // namespace davit::endpointslicemirroring
