/// From which age on what the caches say of nodes is in doubt: the host, not a node, may have lost
/// its connection.
#pragma once

#include <chrono>

namespace davit::nodelifecycle {

/// A watch of nodes or of their Leases that is silent for so long is renewed: a deaf one is found
/// before the grace of any node ends.
inline constexpr std::chrono::seconds kSilenceMax{25};
/// What has not been confirmed for longer is nothing to act on: a silent watch that works was
/// renewed meanwhile.
inline constexpr std::chrono::seconds kDoubtful{35};

}  // namespace davit::nodelifecycle
