#include "plugins/volumebinder/volume_sync.hpp"

#include <optional>

#include "plugins/shared/volumes/migrated_plugins.hpp"
#include "plugins/shared/volumes/storage_facts.hpp"
#include "plugins/volumebinder/names.hpp"
#include "plugins/volumebinder/phases.hpp"
#include "plugins/volumebinder/send.hpp"

namespace davit::volumebinder {
namespace {

Key claim_key(const volumes::Volume& volume) {
  return {std::string(volume.claim_ref()[&Names::ns].string()),
          std::string(volume.claim_ref()[&Names::name].string())};
}

bool is_released(const volumes::Volume& volume) {
  return volume.phase() == kReleased || volume.phase() == kFailed;
}

/// The reason why no plugin deletes the volume; empty: an external provisioner does. Directories
/// are not deleted, because those of the machine that runs this controller are not those of the
/// nodes. Rule: docs/spec/volumes.md, B10.
std::string why_not_deleted(const volumes::Volume& volume) {
  constexpr std::string_view kHostPath =
      "deleting hostPath volumes is disabled in this controller manager";
  constexpr std::string_view kNoDeleter = "no deletable volume plugin matched";
  const std::string provisioner(volume.annotation(kProvisionedBy).value_or(""));
  if (provisioner == "kubernetes.io/host-path") return std::string(kHostPath);
  if (provisioner == "kubernetes.io/nfs") return std::string(kNoDeleter);
  if (volumes::is_in_tree(provisioner)) {
    return "no volume plugin matched name: " + provisioner;
  }
  if (!provisioner.empty() || volume.spec()["csi"]) return {};
  if (volume.spec()["hostPath"]) return std::string(kHostPath);
  return "error getting deleter volume plugin for volume \"" + std::string(volume.name()) +
         "\": " + std::string(volume.spec()["nfs"] ? kNoDeleter : "no volume plugin matched");
}

}  // namespace

Result<Again> VolumeSync::operator()(const Key& key) const {
  const Lookup<Volume> volume = parts_.volumes.get(key);
  if (!volume) return done(recycler_.stop(key.name));
  const Client client = parts_.cluster.client();
  if (std::string patch = volume_migration_patch(*volume); !patch.empty()) {
    return done(send(client, *volume, std::move(patch), kSpec)
                    .with_context("persistent Volume Controller can't anneal migration annotations "
                                  "or finalizer"));
  }
  if (!is_released(*volume)) {
    if (Status stopped = recycler_.stop(key.name); !stopped.ok()) return stopped;
  }
  const std::string_view uid = volume->claim_ref()[&Names::uid].string();
  if (uid.empty()) return done(set_phase(parts_, *volume, kAvailable));
  const Key of = claim_key(*volume);
  const Lookup<Claim> cached = parts_.claims.get(of);
  if (cached && cached->uid() == uid) return done(follow(*volume, *cached));
  // The cache of claims may be behind that of volumes, so it does not prove that the claim is gone.
  if (!is_released(*volume)) {
    const Result<Claim> live = client.get<Claim>(of);
    if (!live && live.error().code() != Code::kNotFound) return live.error();
    if (live && live->uid() == uid) return done(follow(*volume, *live));
  }
  return done(release(*volume));
}

Status VolumeSync::follow(const Volume& volume, const Claim& claim) const {
  const std::string_view other = claim.volume_name();
  if (other == volume.name()) return set_phase(parts_, volume, kBound);
  if (!other.empty()) {
    const bool is_provisioned = volume.annotation(kProvisionedBy).has_value();
    if (is_provisioned && volumes::reclaim_policy_of(volume) == "Delete") return release(volume);
    return unbind(parts_, volume);
  }
  if (volumes::mode_of(volume) == volumes::mode_of(claim)) {
    parts_.claim_queue.add(claim);
    return {};
  }
  const EventRecorder events = parts_.cluster.events();
  events.warning(volume, "VolumeMismatch",
                 "Cannot bind PersistentVolume to requested PersistentVolumeClaim \"" +
                     std::string(claim.name()) + "\" due to incompatible volumeMode.");
  events.warning(claim, "VolumeMismatch",
                 "Cannot bind PersistentVolume \"" + std::string(volume.name()) +
                     "\" to requested PersistentVolumeClaim due to incompatible volumeMode.");
  return {};
}

Status VolumeSync::release(const Volume& volume) const {
  // The change of the phase adds the volume again.
  if (!is_released(volume)) return set_phase(parts_, volume, kReleased);
  return reclaim(volume);
}

Status VolumeSync::reclaim(const Volume& volume) const {
  const std::string_view policy = volumes::reclaim_policy_of(volume);
  if (volume.annotation(kMigratedTo).value_or("") != "" || policy == "Retain") return {};
  if (policy == "Recycle") return recycler_.recycle(volume);
  if (policy == "Delete") return leave_to_provisioner(volume);
  return set_failed(parts_, volume, "VolumeUnknownReclaimPolicy",
                    "Volume has unrecognized PersistentVolumeReclaimPolicy");
}

Status VolumeSync::leave_to_provisioner(const Volume& volume) const {
  const Lookup<volumes::StorageClass> found = parts_.classes.get("", volumes::class_of(volume));
  const std::string plugin(found ? found->provisioner() : "N/A");
  const std::string operation = Operations::name("delete", volume.name(), volume.uid());
  const bool tries = parts_.operations.try_now(operation, plugin, parts_.cluster.now());
  const std::string why = why_not_deleted(volume);
  if (why.empty() || !tries) return {};
  parts_.operations.failed(operation, parts_.cluster.now());
  parts_.metrics.failed("delete", plugin);
  return set_failed(parts_, volume, "VolumeFailedDelete", why);
}

}  // namespace davit::volumebinder
