/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>
#include <davit/options.hpp>

#include "plugins/shared/volumes/views.hpp"
#include "plugins/volumebinder/recycler.hpp"
#include "plugins/volumebinder/volume_binder.hpp"
#include "plugins/volumebinder/volume_expander.hpp"

namespace davit::volumebinder {

/// No rule allows to delete a volume. Pods are many, so their projection names single fields; the
/// access modes, which every template has, stand for the presence of an ephemeral volume.
constexpr void declare(Note& note) {
  note.plugin("volumebinder", "0.1.0")
      .controller({.name = "persistentvolume-binder-controller",
                   .factory = &VolumeBinder::open,
                   .aliases = {"persistentvolume-binder"},
                   .client_name = "persistent-volume-binder",
                   .event_component = "persistentvolume-controller"})
      .rule<volumes::Volume>({"patch"})
      .rule<volumes::Volume>({"patch"}, {.subresource = "status"})
      .rule<volumes::Claim>({"patch"})
      .rule<volumes::Claim>({"patch"}, {.subresource = "status"})
      .rule<Pod>({"create", "delete"})
      .rule<PodEvent>({"list"})
      .events()
      .watch<volumes::Volume>(
          {"metadata.deletionTimestamp", "metadata.annotations", "metadata.labels",
           "metadata.finalizers", "spec.accessModes", "spec.capacity", "spec.claimRef",
           "spec.storageClassName", "spec.volumeMode", "spec.volumeAttributesClassName",
           "spec.persistentVolumeReclaimPolicy", "spec.csi.driver", "spec.hostPath.path",
           "spec.nfs.server", "spec.nfs.path", "status.phase"})
      .watch<volumes::Claim>({"metadata.annotations", "spec", "status.phase", "status.accessModes",
                              "status.capacity", "status.currentVolumeAttributesClassName"})
      .watch<volumes::StorageClass>({"metadata.creationTimestamp", "metadata.annotations",
                                     "provisioner", "volumeBindingMode"})
      .watch<Pod>({"metadata.deletionTimestamp", "spec.nodeName", "spec.volumes[].name",
                   "spec.volumes[].persistentVolumeClaim.claimName",
                   "spec.volumes[].ephemeral.volumeClaimTemplate.spec.accessModes", "status.phase",
                   "status.message", "status.containerStatuses[].state",
                   "status.initContainerStatuses[].state",
                   "status.ephemeralContainerStatuses[].state"});
  note.controller({.name = "persistentvolume-expander-controller",
                   .factory = &make_without_options<VolumeExpander>,
                   .aliases = {"persistentvolume-expander"},
                   .workers = 10,
                   .client_name = "expand-controller",
                   .event_component = "volume_expand"})
      .rule<volumes::Volume>({"get"})
      .rule<volumes::Claim>({"patch"}, {.subresource = "status"})
      .events()
      .watch<volumes::Claim>({"metadata.annotations", "spec.volumeName",
                              "spec.resources.requests.storage", "status.phase",
                              "status.capacity.storage"});
}

}  // namespace davit::volumebinder
