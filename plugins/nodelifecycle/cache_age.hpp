/// The age at which the cached view of nodes is too old to act on: the host, not a node, may have
/// lost its connection.
#pragma once

#include <chrono>

namespace davit::nodelifecycle {

/// A watch of nodes or of their Leases that is silent for this long is renewed, so that a stalled
/// watch is found before any node's grace period ends.
inline constexpr std::chrono::seconds kSilenceMax{25};
/// A view that was last confirmed longer ago is too old to act on. A healthy but silent watch is
/// renewed within this time.
inline constexpr std::chrono::seconds kStaleAfter{35};

}  // namespace davit::nodelifecycle
