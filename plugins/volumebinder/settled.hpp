/// Events that need no sync. Most are the controller's own writes, and a sync costs more than a
/// look. The next pass syncs every object.
#pragma once

#include <davit/informer.hpp>
#include <davit/lookup.hpp>

#include "plugins/shared/volumes/views.hpp"

namespace davit::volumebinder {

/// The volume that a claim names.
struct NamedVolume {
  Lookup<volumes::Volume> cached;
  /// The server has given it to the claim, which the cache may not show yet.
  bool is_given = false;
};

/// Whether a sync of the claim would write nothing to it, or only what the sync that is binding it
/// writes next. The volume's own sync handles its phase.
[[nodiscard]] bool is_settled(const Event<volumes::Claim>& event, const NamedVolume& volume);

/// The same for a volume. `claim`: the cached one that its claimRef names.
[[nodiscard]] bool is_settled(const Event<volumes::Volume>& event,
                              const Lookup<volumes::Claim>& claim);

}  // namespace davit::volumebinder
