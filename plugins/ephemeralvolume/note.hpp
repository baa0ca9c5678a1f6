/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controller under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>
#include <davit/options.hpp>

#include "plugins/ephemeralvolume/ephemeral_volumes.hpp"
#include "plugins/shared/volumes/views.hpp"

namespace davit::ephemeralvolume {

/// Claims name their pods with blockOwnerDeletion, which needs the right to their finalizers.
constexpr void declare(Note& note) {
  note.plugin("ephemeralvolume", "0.1.0")
      .controller({.name = "ephemeral-volume-controller",
                   .factory = &make_without_options<EphemeralVolumes>,
                   .aliases = {"ephemeral-volume"},
                   .workers = 5,
                   .event_component = "ephemeral_volume"})
      .rule<Pod>({"update"}, {.subresource = "finalizers"})
      .rule<volumes::Claim>({"create"})
      .events()
      .watch<Pod>({"metadata.deletionTimestamp", "spec.volumes[].name", "spec.volumes[].ephemeral"})
      .watch<volumes::Claim>({"metadata.ownerReferences"});
}

}  // namespace davit::ephemeralvolume
