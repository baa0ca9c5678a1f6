/// `davit manifest from-flags --rest`: the kube-controller-manager that stays beside davit.
#pragma once

#include <string>
#include <vector>

#include "cli/upstream/from_flags.hpp"

namespace davit::host {

/// The port of the leftover, since davit takes the one of the original. Kubernetes' own programs
/// and kubelet use 10248 to 10260.
inline constexpr int kRestPort = 10267;

/// The command line, for a shell, of a kube-controller-manager that runs those controllers of
/// `args` that davit does not have: without the flags of davit's controllers, under its own Lease.
/// Pure.
[[nodiscard]] FromFlagsResult rest_of_flags(const std::vector<std::string>& args);

}  // namespace davit::host
