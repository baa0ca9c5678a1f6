/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controller under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/attachdetach/attach_detach.hpp"
#include "plugins/shared/volumes/views.hpp"

namespace davit::attachdetach {

/// Upstream's role of the controller lacks nothing that is used here.
constexpr void declare(Note& note) {
  note.plugin("attachdetach", "0.1.0")
      .controller({.name = "persistentvolume-attach-detach-controller",
                   .factory = &AttachDetach::open,
                   .aliases = {"attachdetach"},
                   .workers = 4,
                   .client_name = "attachdetach-controller"})
      .rule<Node>({"get"})
      .rule<Node>({"patch"}, {.subresource = "status"})
      .rule<volumes::Attachment>({"get", "create", "delete"})
      .events()
      .watch<Pod>({"metadata.deletionTimestamp", "spec.nodeName", "spec.volumes[].name",
                   "spec.volumes[].persistentVolumeClaim.claimName",
                   "spec.volumes[].ephemeral.volumeClaimTemplate.spec.accessModes",
                   "spec.volumes[].iscsi", "spec.volumes[].fc",
                   "spec.volumes[].awsElasticBlockStore", "spec.volumes[].gcePersistentDisk",
                   "spec.volumes[].azureDisk", "spec.volumes[].azureFile", "spec.volumes[].cinder",
                   "spec.volumes[].vsphereVolume", "spec.volumes[].portworxVolume", "status.phase",
                   "status.containerStatuses[].state", "status.initContainerStatuses[].state",
                   "status.ephemeralContainerStatuses[].state"})
      .watch<Node>(
          {"metadata.annotations['volumes.kubernetes.io/controller-managed-attach-detach']",
           "spec.taints[].key", "status.conditions[].type", "status.conditions[].status",
           "status.volumesAttached", "status.volumesInUse"})
      .watch<volumes::Claim>({"metadata.ownerReferences", "spec.volumeName", "status.phase"})
      .watch<volumes::Volume>({"metadata.labels", "spec.claimRef", "spec.accessModes",
                               "spec.csi.driver", "spec.csi.volumeHandle", "spec.iscsi", "spec.fc",
                               "spec.awsElasticBlockStore", "spec.gcePersistentDisk",
                               "spec.azureDisk", "spec.azureFile", "spec.cinder",
                               "spec.vsphereVolume", "spec.portworxVolume"})
      .watch<volumes::CsiDriver>({"spec.attachRequired"})
      .watch<volumes::Attachment>({"metadata.deletionTimestamp", "spec", "status"});
}

}  // namespace davit::attachdetach
