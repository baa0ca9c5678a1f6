/// `davit manifest from-flags --unit`: files of root for a service that does not run as root.
#pragma once

#include <string>
#include <vector>

#include "cli/upstream/from_flags.hpp"

namespace davit::host {

/// A drop-in for davit's systemd unit: each file that `args` name becomes a credential, which
/// systemd reads as root and passes to the service as a copy, and the service gets flags with the
/// paths of the copies. These override the manifest. Pure, except for the current directory, to
/// which relative paths of files refer.
[[nodiscard]] FromFlagsResult unit_from_flags(const std::vector<std::string>& args);

}  // namespace davit::host
