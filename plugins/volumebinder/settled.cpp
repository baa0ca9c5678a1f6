#include "plugins/volumebinder/settled.hpp"

#include "plugins/shared/volumes/storage_facts.hpp"
#include "plugins/volumebinder/names.hpp"
#include "plugins/volumebinder/patches.hpp"

namespace davit::volumebinder {
namespace {

/// Only changes of an object that was there before are left out.
template <typename View>
bool is_update(const Event<View>& event) {
  return event.type == Event<View>::Type::kUpdated && event.old->uid() == event.current.uid();
}

bool is_of(const volumes::Volume& volume, const volumes::Claim& claim) {
  return volumes::is_bound_to(volume, claim) &&
         volume.claim_ref()[&Names::uid].string() == claim.uid();
}

/// The annotation by which the controller has asked the driver for a volume is all that is new.
bool only_asks(const volumes::Claim& old, const volumes::Claim& claim) {
  return !old.annotation(kProvisioner) && claim.annotation(kProvisioner) &&
         old.annotation(kSelectedNode) == claim.annotation(kSelectedNode) &&
         old.spec() == claim.spec() && old.phase() == claim.phase();
}

}  // namespace

bool is_settled(const Event<volumes::Claim>& event, const NamedVolume& volume) {
  if (!is_update(event)) return false;
  const volumes::Claim& claim = event.current;
  if (!claim_migration_patch(claim).empty()) return false;
  if (claim.volume_name().empty()) {
    return !claim.annotation(kBindCompleted) && only_asks(*event.old, claim);
  }
  const bool is_its = volume.cached && (volume.is_given || is_of(*volume.cached, claim));
  if (!is_its || !claim.annotation(kBindCompleted)) return false;
  if (claim.phase() == kBound) {
    return claim.status()["accessModes"] == volume.cached->spec()["accessModes"];
  }
  // The status is the last write of a binding.
  return event.old->volume_name().empty() && claim.phase() == event.old->phase();
}

bool is_settled(const Event<volumes::Volume>& event, const Lookup<volumes::Claim>& claim) {
  if (!is_update(event)) return false;
  const volumes::Volume& volume = event.current;
  // A volume that was released may be in the hands of the recycler, whose pod must be stopped.
  const bool was_released = event.old->phase() == kReleased || event.old->phase() == kFailed;
  const bool is_same = event.old->claim_ref() == volume.claim_ref() &&
                       volumes::reclaim_policy_of(*event.old) == volumes::reclaim_policy_of(volume);
  if (was_released || !is_same || !volume_migration_patch(volume).empty()) return false;
  const bool is_its = claim && is_of(volume, *claim);
  if (volume.phase() == kReleased) {
    const bool has_uid = !volume.claim_ref()[&Names::uid].string().empty();
    return !is_its && has_uid && volumes::reclaim_policy_of(volume) == "Retain";
  }
  if (volume.phase() != kBound || !is_its) return false;
  // The sync that is binding the claim names the volume next.
  return claim->volume_name() == volume.name() ||
         (claim->volume_name().empty() && volumes::mode_of(volume) == volumes::mode_of(*claim));
}

}  // namespace davit::volumebinder
