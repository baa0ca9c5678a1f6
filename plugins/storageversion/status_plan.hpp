/// The status of a StorageVersion without the entries of servers that are gone. Pure.
/// Rule: docs/spec/cluster-controllers.md, part C.
#pragma once

#include <davit/time.hpp>
#include <functional>
#include <set>
#include <string>

#include "plugins/storageversion/views.hpp"

namespace davit::storageversion {

/// Names of identity Leases.
using Servers = std::set<std::string, std::less<>>;

/// The servers that have entries.
[[nodiscard]] Servers servers_of(const StorageVersion& object);

/// The merge patch of `status` without the entries of `gone`, with the common version and the
/// condition of the rest, of which there must be some. The server refuses it with 409 if the object
/// has changed.
[[nodiscard]] std::string patch_without(const StorageVersion& object, const Servers& gone,
                                        WallTime now);

}  // namespace davit::storageversion
