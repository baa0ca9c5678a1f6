/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controller under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>
#include <davit/options.hpp>

#include "plugins/selinuxwarning/selinux_warning_controller.hpp"
#include "plugins/shared/volumes/views.hpp"

namespace davit::selinuxwarning {

/// The caches get only what names a pod's volumes.
constexpr void declare(Note& note) {
  note.plugin("selinuxwarning", "0.1.0")
      .controller({.name = "selinux-warning-controller",
                   .factory = &make_without_options<SelinuxWarningController>,
                   .event_component = "selinux_warning",
                   .off_by_default = true})
      .events()
      .watch<Pod>({"spec.volumes[].name",
                   "spec.volumes[].persistentVolumeClaim.claimName",
                   "spec.volumes[].ephemeral.volumeClaimTemplate.spec.accessModes",
                   "spec.volumes[].iscsi",
                   "spec.volumes[].fc",
                   "spec.volumes[].awsElasticBlockStore",
                   "spec.volumes[].gcePersistentDisk",
                   "spec.volumes[].azureDisk",
                   "spec.volumes[].azureFile",
                   "spec.volumes[].cinder",
                   "spec.volumes[].vsphereVolume",
                   "spec.volumes[].portworxVolume",
                   "spec.securityContext.seLinuxOptions",
                   "spec.securityContext.seLinuxChangePolicy",
                   "spec.initContainers[].securityContext.seLinuxOptions",
                   "spec.initContainers[].volumeMounts[].name",
                   "spec.containers[].securityContext.seLinuxOptions",
                   "spec.containers[].volumeMounts[].name",
                   "spec.ephemeralContainers[].securityContext.seLinuxOptions",
                   "spec.ephemeralContainers[].volumeMounts[].name",
                   "status.phase"})
      .watch<volumes::Claim>({"metadata.ownerReferences", "spec.volumeName", "status.phase"})
      .watch<volumes::Volume>({"metadata.labels", "spec.claimRef", "spec.csi.driver",
                               "spec.csi.volumeHandle", "spec.iscsi", "spec.fc",
                               "spec.awsElasticBlockStore", "spec.gcePersistentDisk",
                               "spec.azureDisk", "spec.azureFile", "spec.cinder",
                               "spec.vsphereVolume", "spec.portworxVolume"})
      .watch<volumes::CsiDriver>({"spec.seLinuxMount"});
}

}  // namespace davit::selinuxwarning
