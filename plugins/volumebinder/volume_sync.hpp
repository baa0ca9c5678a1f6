/// The sync of a volume: its phase, and what happens to it when its claim is gone.
#pragma once

#include <davit/queue.hpp>
#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "plugins/shared/volumes/views.hpp"
#include "plugins/volumebinder/parts.hpp"
#include "plugins/volumebinder/recycler.hpp"

namespace davit::volumebinder {

/// Invariants:
/// - No volume is deleted here under any policy: the controller has no right to. The phase
///   Released, which makes an external provisioner delete a volume of policy Delete, is set only
///   after the server has answered that the claim is gone or is another one, or for a claim that is
///   bound to another volume, which never changes again. The write names the version of the volume
///   whose claimRef was looked at.
/// - A volume is emptied only by the recycler, for the policy Recycle; see there.
///
/// Rule: docs/spec/volumes.md, B12.
class VolumeSync {
 public:
  VolumeSync(const Parts& parts, Recycler& recycler) : parts_(parts), recycler_(recycler) {}

  [[nodiscard]] Result<Again> operator()(const Key& key) const;

 private:
  using Claim = volumes::Claim;
  using Volume = volumes::Volume;

  [[nodiscard]] Status follow(const Volume& volume, const Claim& claim) const;
  /// Releases the volume, then does what its policy says.
  [[nodiscard]] Status release(const Volume& volume) const;
  [[nodiscard]] Status reclaim(const Volume& volume) const;
  /// An external provisioner deletes the volume. Without one, the volume becomes Failed.
  [[nodiscard]] Status leave_to_provisioner(const Volume& volume) const;

  const Parts& parts_;
  Recycler& recycler_;
};

}  // namespace davit::volumebinder
