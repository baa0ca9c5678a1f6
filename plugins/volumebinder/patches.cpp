#include "plugins/volumebinder/patches.hpp"

#include <davit/json_writer.hpp>
#include <utility>
#include <vector>

#include "plugins/shared/volumes/migrated_plugins.hpp"
#include "plugins/shared/volumes/storage_facts.hpp"
#include "plugins/volumebinder/names.hpp"

namespace davit::volumebinder {
namespace {

/// Begins a patch; its metadata is still open.
JsonWriter begin(const Target& target) {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member("uid", target.uid);
  out.member("resourceVersion", target.version);
  return out;
}

std::string end(JsonWriter& out) {
  out.end_object();
  return std::move(out).text();
}

/// The migrated-to annotation that a provisioner requires.
enum class Migration { kNone, kSet, kRemove };

Migration migration_of(const ObjectView& object, std::string_view provisioner) {
  const std::string_view present = object.annotation(kMigratedTo).value_or("");
  if (provisioner.empty()) return Migration::kNone;
  const std::optional<std::string_view> driver = volumes::driver_of(provisioner);
  if (driver) return present == *driver ? Migration::kNone : Migration::kSet;
  return present.empty() ? Migration::kNone : Migration::kRemove;
}

void write_migration(JsonWriter& out, Migration migration, std::string_view provisioner) {
  if (migration == Migration::kNone) return;
  out.key(kMigratedTo);
  if (migration == Migration::kRemove) {
    out.null();
  } else {
    out.string(*volumes::driver_of(provisioner));
  }
}

/// The finalizers that the volume shall have; nothing: those that it has.
std::optional<std::vector<std::string_view>> wanted_finalizers(const volumes::Volume& volume,
                                                               std::string_view provisioner) {
  if (!volumes::is_in_tree(provisioner)) return std::nullopt;
  const bool is_migrated = volumes::driver_of(provisioner).has_value();
  const bool has = volume.has_finalizer(kInTreeFinalizer);
  const bool is_deleted = volume.spec()["persistentVolumeReclaimPolicy"].string() == "Delete";
  const bool leaves =
      volume.is_being_deleted() || volume.phase() == kReleased || volume.phase() == kFailed;
  const bool wants = !is_migrated && is_deleted && (has || !leaves);
  const bool is_changed =
      wants != has || (!is_migrated && volume.has_finalizer(kExternalFinalizer));
  if (!is_changed) return std::nullopt;
  std::vector<std::string_view> out;
  for (const Value each : volume.metadata()[&Names::finalizers].elements()) {
    const std::string_view name = each.string();
    if (name == kInTreeFinalizer || (!is_migrated && name == kExternalFinalizer)) continue;
    out.push_back(name);
  }
  if (wants) out.push_back(kInTreeFinalizer);
  return out;
}

std::string_view provisioner_of(const volumes::Claim& claim) {
  const std::optional<std::string_view> named = claim.annotation(kProvisioner);
  return named ? *named : claim.annotation(kBetaProvisioner).value_or("");
}

void write_lost(JsonWriter& out, const Value& status, bool& is_changed) {
  for (const std::string_view each :
       {"accessModes", "capacity", "currentVolumeAttributesClassName"}) {
    if (status[each].is_absent()) continue;
    out.key(each).null();
    is_changed = true;
  }
}

/// The capacity of the volume in place of that of the claim. A resize that has begun keeps the size
/// from before.
void write_capacity(JsonWriter& out, const Value& status, const volumes::Volume& volume) {
  const Value capacity = volume.spec()["capacity"];
  const std::string_view before = volume.annotation(kPreResizeCapacity).value_or("");
  const bool resizes = Quantity::parse(before).has_value();
  out.key("capacity").begin_object();
  for (const Member& each : status["capacity"].members()) {
    const bool stays = resizes || !capacity[each.key].is_absent();
    if (!stays) out.key(each.key).null();
  }
  if (resizes) {
    out.member("storage", before);
  } else {
    for (const Member& each : capacity.members()) out.key(each.key).value(each.value);
  }
  out.end_object();
}

}  // namespace

std::string volume_claim_patch(const volumes::Volume& volume, const volumes::Claim& claim) {
  const bool was_reserved = volumes::is_bound_to(volume, claim);
  if (was_reserved && volume.claim_ref()[&Names::uid].string() == claim.uid()) return {};
  JsonWriter out = begin(Target(volume));
  if (!was_reserved && !volume.annotation(kBoundByController)) {
    out.key("annotations").begin_object().member(kBoundByController, "yes").end_object();
  }
  out.end_object().key("spec").begin_object().key("claimRef").begin_object();
  out.member("kind", "PersistentVolumeClaim").member("apiVersion", "v1");
  out.member("namespace", claim.ns()).member("name", claim.name()).member("uid", claim.uid());
  out.member("resourceVersion", claim.resource_version());
  out.end_object().end_object();
  return end(out);
}

std::string volume_release_patch(const volumes::Volume& volume) {
  JsonWriter out = begin(Target(volume));
  if (volume.annotation(kBoundByController)) {
    out.key("annotations").begin_object().key(kBoundByController).null().end_object();
    out.end_object().key("spec").begin_object().key("claimRef").null().end_object();
  } else {
    out.end_object().key("spec").begin_object().key("claimRef").begin_object();
    out.key("uid").null().end_object().end_object();
  }
  return end(out);
}

std::string volume_phase_patch(const Target& volume, std::string_view phase,
                               std::string_view message) {
  JsonWriter out = begin(volume);
  out.end_object().key("status").begin_object().member("phase", phase).key("message");
  if (message.empty()) {
    out.null();
  } else {
    out.string(message);
  }
  out.end_object();
  return end(out);
}

std::string volume_migration_patch(const volumes::Volume& volume) {
  const std::string_view provisioner = volume.annotation(kProvisionedBy).value_or("");
  const Migration migration = migration_of(volume, provisioner);
  const auto finalizers = wanted_finalizers(volume, provisioner);
  if (migration == Migration::kNone && !finalizers) return {};
  JsonWriter out = begin(Target(volume));
  out.key("annotations").begin_object();
  write_migration(out, migration, provisioner);
  out.end_object();
  if (finalizers) {
    out.key("finalizers").begin_array();
    for (const std::string_view each : *finalizers) out.string(each);
    out.end_array();
  }
  out.end_object();
  return end(out);
}

std::string claim_volume_patch(const volumes::Claim& claim, const volumes::Volume& volume) {
  const bool is_named = claim.volume_name() == volume.name();
  const bool is_completed = claim.annotation(kBindCompleted).has_value();
  if (is_named && is_completed) return {};
  JsonWriter out = begin(Target(claim));
  out.key("annotations").begin_object();
  if (!is_named && !claim.annotation(kBoundByController)) out.member(kBoundByController, "yes");
  if (!is_completed) out.member(kBindCompleted, "yes");
  out.end_object().end_object();
  if (!is_named) out.key("spec").begin_object().member("volumeName", volume.name()).end_object();
  return end(out);
}

Result<std::string> claim_status_patch(const Target& target, const volumes::Claim& claim,
                                       std::string_view phase,
                                       const std::optional<volumes::Volume>& volume) {
  const Value status = claim.status();
  const bool moves = claim.phase() != phase;
  bool is_changed = moves;
  JsonWriter out = begin(target);
  out.end_object().key("status").begin_object();
  if (moves) out.member("phase", phase);
  if (!volume) {
    write_lost(out, status, is_changed);
  } else {
    if (!(status["accessModes"] == volume->spec()["accessModes"])) {
      out.key("accessModes").value(volume->spec()["accessModes"]);
      is_changed = true;
    }
    const std::optional<Quantity> size = volumes::capacity_of(*volume);
    if (moves && !size) {
      return Status(Code::kInvalid, "PersistentVolume \"" + std::string(volume->name()) +
                                        "\" is without a storage capacity");
    }
    if (moves) write_capacity(out, status, *volume);
    if (moves && claim.phase() == kPending) {
      const std::string_view attributes = volumes::attributes_class_of(*volume);
      if (attributes != status["currentVolumeAttributesClassName"].string()) {
        out.key("currentVolumeAttributesClassName");
        attributes.empty() ? out.null() : out.string(attributes);
      }
    }
  }
  if (!is_changed) return std::string();
  out.end_object();
  return end(out);
}

std::string claim_class_patch(const volumes::Claim& claim, std::string_view storage_class) {
  JsonWriter out = begin(Target(claim));
  out.end_object().key("spec").begin_object().member("storageClassName", storage_class);
  out.end_object();
  return end(out);
}

std::string claim_provisioner_patch(const volumes::Claim& claim, std::string_view driver) {
  if (claim.annotation(kProvisioner) == driver) return {};
  JsonWriter out = begin(Target(claim));
  out.key("annotations").begin_object().member(kBetaProvisioner, driver);
  out.member(kProvisioner, driver);
  write_migration(out, migration_of(claim, driver), driver);
  out.end_object().end_object();
  return end(out);
}

std::string claim_migration_patch(const volumes::Claim& claim) {
  const std::string_view provisioner = provisioner_of(claim);
  const Migration migration = migration_of(claim, provisioner);
  if (migration == Migration::kNone) return {};
  JsonWriter out = begin(Target(claim));
  out.key("annotations").begin_object();
  write_migration(out, migration, provisioner);
  out.end_object().end_object();
  return end(out);
}

}  // namespace davit::volumebinder
