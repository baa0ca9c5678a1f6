#include "plugins/volumebinder/claim_sync.hpp"

#include <davit/kube/selector.hpp>
#include <utility>
#include <vector>

#include "plugins/shared/volumes/claim_pods.hpp"
#include "plugins/shared/volumes/migrated_plugins.hpp"
#include "plugins/shared/volumes/storage_facts.hpp"
#include "plugins/volumebinder/match.hpp"
#include "plugins/volumebinder/names.hpp"
#include "plugins/volumebinder/send.hpp"

namespace davit::volumebinder {
namespace {

constexpr std::string_view kHostPathProvisioner = "kubernetes.io/host-path";

std::string quoted_key(const volumes::Claim& claim) { return '"' + claim.key().text() + '"'; }

}  // namespace

Result<Again> ClaimSync::operator()(const Key& key) const {
  const Lookup<Claim> claim = parts_.claims.get(key);
  if (!claim) return Again::when_changed();
  if (std::string patch = claim_migration_patch(*claim); !patch.empty()) {
    return done(
        send(parts_.cluster.client(), *claim, std::move(patch), kSpec)
            .with_context("persistent Volume Controller can't anneal migration annotations"));
  }
  if (claim->annotation(kBindCompleted)) return sync_completed(*claim);
  return claim->volume_name().empty() ? sync_pending(*claim) : sync_named(*claim);
}

Result<Again> ClaimSync::sync_pending(const Claim& claim) const {
  const Result<bool> delayed = is_delayed(claim);
  if (!delayed) return delayed.error();
  const Result<std::optional<Volume>> found = find(claim, *delayed);
  if (!found) {
    return found.error().with_context("error finding PV for claim " + quoted_key(claim));
  }
  if (*found) return done(bind(**found, claim));
  if (!volumes::asks_for_class(claim)) {
    if (const std::string assigned = default_class(); !assigned.empty()) {
      return done(assign_class(claim, assigned));
    }
  }
  if (*delayed && !claim.annotation(kSelectedNode)) {
    report_waiting(claim);
  } else if (!volumes::class_of(claim).empty()) {
    return done(provision(claim));
  } else {
    parts_.cluster.events().normal(
        claim, "FailedBinding",
        "no persistent volumes available for this claim and no storage class is set");
  }
  return done(set_pending(claim));
}

Result<Again> ClaimSync::sync_named(const Claim& claim) const {
  const std::string name(claim.volume_name());
  const Lookup<Volume> volume = parts_.volumes.get("", name);
  if (!volume) return done(set_pending(claim));
  if (volumes::is_bound_to(*volume, claim)) return done(bind(*volume, claim));
  const Value owner = volume->claim_ref();
  if (owner.kind() != Kind::kObject) {
    const std::string why = why_unsuitable(*volume, claim);
    if (why.empty()) return done(bind(*volume, claim));
    warn(claim, "VolumeMismatch", "Cannot bind to requested volume \"" + name + "\": " + why);
    return done(set_pending(claim));
  }
  warn(claim, "FailedBinding", "volume \"" + name + "\" already bound to a different claim.");
  if (!claim.annotation(kBoundByController)) return done(set_pending(claim));
  const Key other{std::string(owner[&Names::ns].string()),
                  std::string(owner[&Names::name].string())};
  return Status(Code::kInvalid, "invalid binding of claim " + quoted_key(claim) + " to volume \"" +
                                    name + "\": volume already claimed by \"" + other.text() + '"');
}

Result<Again> ClaimSync::sync_completed(const Claim& claim) const {
  const std::string_view name = claim.volume_name();
  if (name.empty()) {
    return done(set_lost(
        claim, "ClaimLost",
        "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!"));
  }
  const auto is_its = [&claim](const Volume& volume) {
    return volume.claim_ref().kind() != Kind::kObject ||
           volume.claim_ref()[&Names::uid].string() == claim.uid();
  };
  const Lookup<Volume> cached = parts_.volumes.get("", name);
  if (cached && is_its(*cached)) return done(bind(*cached, claim));
  if (claim.phase() == kLost) return Again::when_changed();
  const Result<Volume> live = parts_.cluster.client().get<Volume>({"", std::string(name)});
  if (!live && live.error().code() != Code::kNotFound) return live.error();
  if (!live) {
    return done(set_lost(claim, "ClaimLost",
                         "Bound claim has lost its PersistentVolume. Data on the volume is lost!"));
  }
  if (is_its(*live)) return Again::with_backoff();  // The cache will have it.
  return done(set_lost(claim, "ClaimMisbound",
                       "Two claims are bound to the same volume, this one is bound incorrectly"));
}

Result<std::optional<volumes::Volume>> ClaimSync::find(const Claim& claim, bool is_delayed) const {
  if (std::optional<Volume> reserved = find_reserved(claim); reserved || is_delayed) {
    return reserved;
  }
  return find_free(claim);
}

std::optional<volumes::Volume> ClaimSync::find_reserved(const Claim& claim) const {
  std::optional<Volume> best;
  const auto look_at = [&](const Volume& volume) {
    if (!serves_reserved(volume, claim)) return;
    const auto order = [](const Volume& of) {
      return Candidate{volumes::AccessModes::of(of), volumes::capacity_of(of).value_or(Quantity()),
                       std::string(of.name())};
    };
    if (!best || order(volume) < order(*best)) best = volume;
  };
  for (const Volume& each : parts_.volumes.by_index(kByClaimUid, claim.uid())) look_at(each);
  if (best) return best;
  for (const std::string& each : parts_.index.of_claim(claim.key())) {
    if (const Lookup<Volume> volume = parts_.volumes.get("", each)) look_at(*volume);
  }
  return best;
}

Result<std::optional<volumes::Volume>> ClaimSync::find_free(const Claim& claim) const {
  const Value wanted_labels = claim.spec()[&Names::selector];
  const Result<Selector> selector = wanted_labels.kind() == Kind::kObject
                                        ? Selector::parse(wanted_labels)
                                        : Selector::parse_text("");
  if (!selector) return selector.error().with_context("error creating internal label selector");
  const Wanted wanted(claim);
  std::optional<Candidate> last;
  while ((last = parts_.index.next(wanted, last))) {
    const Lookup<Volume> volume = parts_.volumes.get("", last->name);
    // Several claims are looked at at once, and each would begin with the same volume.
    if (!volume || !serves_free(*volume, claim, *selector)) continue;
    if (parts_.index.take(last->name, claim.uid())) return std::optional(*volume);
  }
  return std::optional<Volume>();
}

Status ClaimSync::bind(const Volume& volume, const Claim& claim) const {
  Status bound = write_binding(volume, claim);
  const std::string operation = Operations::name("provision", claim.key().text(), claim.uid());
  if (bound.ok()) {
    if (const auto ended = parts_.operations.end(operation, parts_.cluster.now())) {
      parts_.metrics.ended("provision", ended->plugin, ended->took);
    }
  } else if (const auto plugin = parts_.operations.plugin_of(operation)) {
    if (bound.code() != Code::kCancelled) parts_.metrics.failed("provision", *plugin);
  }
  return bound;
}

Status ClaimSync::write_binding(const Volume& volume, const Claim& claim) const {
  const Client client = parts_.cluster.client();
  Target volume_at(volume);
  std::string patch = volume_claim_patch(volume, claim);
  const bool takes = !patch.empty();
  Status written = send<Volume>(client, volume.key(), std::move(patch), kSpec, volume_at);
  if (takes && written.ok()) parts_.index.given(volume.name(), claim.uid());
  // After a lost response the server may have carried it out.
  const bool is_refused = !written.ok() && written.code() != Code::kUnavailable;
  if (is_refused) parts_.index.give_back(volume.name(), claim.uid());
  if (!written.ok()) return written;
  if (volume.phase() != kBound) {
    patch = volume_phase_patch(volume_at, kBound, {});
    written = send<Volume>(client, volume.key(), std::move(patch), kStatus, volume_at);
    if (!written.ok()) return written;
  }
  Target claim_at(claim);
  written = send<Claim>(client, claim.key(), claim_volume_patch(claim, volume), kSpec, claim_at);
  if (!written.ok()) return written;
  Result<std::string> status = claim_status_patch(claim_at, claim, kBound, volume);
  if (!status) return status.error();
  return send<Claim>(client, claim.key(), *std::move(status), kStatus, claim_at);
}

Result<bool> ClaimSync::is_delayed(const Claim& claim) const {
  const std::string_view name = volumes::class_of(claim);
  if (name.empty()) return false;
  const Lookup<volumes::StorageClass> found = parts_.classes.get("", name);
  if (!found) return false;
  if (found->binding_mode().empty()) {
    return Status(Code::kInvalid,
                  "VolumeBindingMode not set for StorageClass \"" + std::string(name) + '"');
  }
  return found->binding_mode() == "WaitForFirstConsumer";
}

void ClaimSync::report_waiting(const Claim& claim) const {
  std::string names;
  std::size_t count = 0;
  for (const Pod& each : volumes::pods_of_claim(parts_.pods, claim.ns(), claim.name())) {
    if (!each.node_name().empty()) continue;
    names.append(count++ == 0 ? "" : ",").append(each.name());
  }
  if (count == 0) {
    parts_.cluster.events().normal(claim, "WaitForFirstConsumer",
                                   "waiting for first consumer to be created before binding");
    return;
  }
  parts_.cluster.events().normal(
      claim, "WaitForPodScheduled",
      std::string(count == 1 ? "waiting for pod " : "waiting for pods ") + names +
          " to be scheduled");
}

std::string ClaimSync::default_class() const {
  constexpr std::string_view kMarks[] = {"storageclass.kubernetes.io/is-default-class",
                                         "storageclass.beta.kubernetes.io/is-default-class"};
  std::optional<std::pair<WallTime, std::string>> best;
  for (const volumes::StorageClass& each : parts_.classes.list()) {
    if (each.annotation(kMarks[0]) != "true" && each.annotation(kMarks[1]) != "true") continue;
    const WallTime created = each.creation_time().value_or(WallTime());
    const bool is_better =
        !best || created > best->first || (created == best->first && each.name() < best->second);
    if (is_better) best.emplace(created, each.name());
  }
  return best ? best->second : std::string();
}

Status ClaimSync::assign_class(const Claim& claim, std::string_view storage_class) const {
  Status written =
      send(parts_.cluster.client(), claim, claim_class_patch(claim, storage_class), kSpec);
  if (written.code() == Code::kCancelled) return written;
  parts_.metrics.default_class_assigned(written.ok());
  return written.with_context("can't update PersistentVolumeClaim[" + quoted_key(claim) + ']');
}

Status ClaimSync::provision(const Claim& claim) const {
  if (!parts_.options.dynamic_provisioning) return {};
  const std::string_view name = volumes::class_of(claim);
  const Lookup<volumes::StorageClass> found = parts_.classes.get("", name);
  if (!found) {
    warn(claim, "ProvisioningFailed",
         "storageclass.storage.k8s.io \"" + std::string(name) + "\" not found");
    return {};
  }
  const std::string provisioner(found->provisioner());
  const bool is_unknown = volumes::is_in_tree(provisioner) && !volumes::driver_of(provisioner) &&
                          provisioner != kHostPathProvisioner;
  if (!is_unknown) return ask_driver(claim, provisioner);
  warn(claim, "ProvisioningFailed",
       provisioner == "kubernetes.io/nfs" ? "no provisionable volume plugin matched"
                                          : "no volume plugin matched name: " + provisioner);
  return {};
}

Status ClaimSync::ask_driver(const Claim& claim, std::string_view provisioner) const {
  const std::string driver(volumes::driver_of(provisioner).value_or(provisioner));
  const std::string operation = Operations::name("provision", claim.key().text(), claim.uid());
  if (!parts_.operations.try_now(operation, driver, parts_.cluster.now())) return {};
  const auto fail = [&](std::string_view text) {
    parts_.operations.failed(operation, parts_.cluster.now());
    parts_.metrics.failed("provision", driver);
    warn(claim, "ProvisioningFailed", text);
    return Status();
  };
  const bool is_host_path = provisioner == kHostPathProvisioner;
  if (is_host_path && claim.spec()["dataSource"]) {
    return fail("plugin \"" + driver +
                "\" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource");
  }
  const Status asked =
      send(parts_.cluster.client(), claim, claim_provisioner_patch(claim, driver), kSpec);
  if (asked.code() == Code::kCancelled || asked.code() == Code::kConflict) return asked;
  if (!asked.ok()) return fail("Error saving claim: " + asked.message());
  if (is_host_path) {
    return fail("Failed to create provisioner: provisioning in volume plugin \"" + driver +
                "\" is disabled");
  }
  parts_.operations.succeeded(operation);
  parts_.cluster.events().normal(
      claim, "ExternalProvisioning",
      "Waiting for a volume to be created either by the external provisioner '" + driver +
          "' or manually by the system administrator. If volume creation is delayed, please verify "
          "that the provisioner is running and correctly registered.");
  return {};
}

Status ClaimSync::set_pending(const Claim& claim) const {
  Result<std::string> patch = claim_status_patch(Target(claim), claim, kPending, std::nullopt);
  if (!patch) return patch.error();
  return send(parts_.cluster.client(), claim, *std::move(patch), kStatus);
}

Status ClaimSync::set_lost(const Claim& claim, std::string_view reason,
                           std::string_view text) const {
  if (claim.phase() == kLost) return {};
  Result<std::string> patch = claim_status_patch(Target(claim), claim, kLost, std::nullopt);
  if (!patch) return patch.error();
  Status written = send(parts_.cluster.client(), claim, *std::move(patch), kStatus);
  if (written.ok()) warn(claim, reason, text);
  return written;
}

}  // namespace davit::volumebinder
