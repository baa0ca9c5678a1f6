/// The merge patches of the controller. Each names the UID and the version of the object that was
/// read, so the server refuses it with 409 if the object is another one, or has changed since.
/// Rules: docs/spec/volumes.md, B4, B6.3, B6.4, B12 and B16.
#pragma once

#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/shared/volumes/views.hpp"

namespace davit::volumebinder {

/// The identity of an object and the version that a patch is for: that of the cache, or of the
/// response to an earlier patch.
struct Target {
  explicit Target(const ObjectView& object)
      : uid(object.uid()), version(object.resource_version()) {}

  std::string uid;
  std::string version;
};

/// Makes the volume that of the claim; empty if it is. A volume that was not reserved for the claim
/// also gets an annotation, by which the binding can be undone.
[[nodiscard]] std::string volume_claim_patch(const volumes::Volume& volume,
                                             const volumes::Claim& claim);
/// Undoes that: a volume that was reserved for a name stays so.
[[nodiscard]] std::string volume_release_patch(const volumes::Volume& volume);
/// For the status. An empty message removes one.
[[nodiscard]] std::string volume_phase_patch(const Target& volume, std::string_view phase,
                                             std::string_view message);
/// Sets `migrated-to` and the finalizers as the provisioner of the volume requires; empty: they are
/// so. The in-tree finalizer is not added to a volume that is on its way out (Q10).
[[nodiscard]] std::string volume_migration_patch(const volumes::Volume& volume);

/// Names the volume in the claim and marks the binding as completed; empty if that is so.
[[nodiscard]] std::string claim_volume_patch(const volumes::Claim& claim,
                                             const volumes::Volume& volume);
/// For the status: a phase, and what the claim gets of the volume; without one, what it loses.
/// Empty: nothing changes. kInvalid: the volume has no capacity.
[[nodiscard]] Result<std::string> claim_status_patch(const Target& target,
                                                     const volumes::Claim& claim,
                                                     std::string_view phase,
                                                     const std::optional<volumes::Volume>& volume);
[[nodiscard]] std::string claim_class_patch(const volumes::Claim& claim,
                                            std::string_view storage_class);
/// Asks the external provisioner `driver` for a volume; empty if that has been done.
[[nodiscard]] std::string claim_provisioner_patch(const volumes::Claim& claim,
                                                  std::string_view driver);
/// Sets `migrated-to` as the claim's provisioner requires; empty: it is so.
[[nodiscard]] std::string claim_migration_patch(const volumes::Claim& claim);

}  // namespace davit::volumebinder
