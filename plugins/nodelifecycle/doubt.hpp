/// The age from which on the caches' view of nodes is in doubt: the host, not a node, may have lost
/// its connection.
#pragma once

#include <chrono>

namespace davit::nodelifecycle {

/// A watch of nodes or of their Leases that is silent for so long is renewed: a deaf one is found
/// before the grace of any node ends.
inline constexpr std::chrono::seconds kSilenceMax{25};
/// A view that was last confirmed longer ago is too old to act on: a silent watch that works is
/// renewed within this time.
inline constexpr std::chrono::seconds kDoubtful{35};

}  // namespace davit::nodelifecycle
