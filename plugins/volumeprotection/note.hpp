/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>
#include <davit/options.hpp>

#include "plugins/shared/volumes/views.hpp"
#include "plugins/volumeprotection/attributes_class_protection.hpp"
#include "plugins/volumeprotection/claim_protection.hpp"
#include "plugins/volumeprotection/volume_protection.hpp"

namespace davit::volumeprotection {

/// Pods are many, so their projection names single fields. The access modes, which every template
/// has, stand for the presence of an ephemeral volume.
constexpr void declare(Note& note) {
  note.plugin("volumeprotection", "0.1.0")
      .controller({.name = "persistentvolumeclaim-protection-controller",
                   .factory = &ClaimProtection::open,
                   .aliases = {"pvc-protection"},
                   .client_name = "pvc-protection-controller"})
      .rule<volumes::Claim>({"patch"})
      .rule<volumes::Claim>({"patch"}, {.subresource = "status"})
      .watch<volumes::Claim>({"metadata.deletionTimestamp", "metadata.finalizers",
                              "metadata.ownerReferences", "status.conditions"})
      .watch<Pod>({"metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds",
                   "spec.nodeName", "spec.volumes[].name",
                   "spec.volumes[].persistentVolumeClaim.claimName",
                   "spec.volumes[].ephemeral.volumeClaimTemplate.spec.accessModes", "status.phase",
                   "status.containerStatuses[].state", "status.initContainerStatuses[].state",
                   "status.ephemeralContainerStatuses[].state"});
  note.controller({.name = "persistentvolume-protection-controller",
                   .factory = &make_without_options<VolumeProtection>,
                   .aliases = {"pv-protection"},
                   .client_name = "pv-protection-controller"})
      .rule<volumes::Volume>({"patch"})
      .watch<volumes::Volume>(
          {"metadata.deletionTimestamp", "metadata.finalizers", "status.phase"});
  note.controller({.name = "volumeattributesclass-protection-controller",
                   .factory = &AttributesClassProtection::open})
      .rule<volumes::AttributesClass>({"patch"})
      .watch<volumes::AttributesClass>({"metadata.deletionTimestamp", "metadata.finalizers"})
      .watch<volumes::Claim>({"spec.volumeAttributesClassName",
                              "status.currentVolumeAttributesClassName",
                              "status.modifyVolumeStatus.targetVolumeAttributesClassName"})
      .watch<volumes::Volume>({"spec.volumeAttributesClassName"});
}

}  // namespace davit::volumeprotection
