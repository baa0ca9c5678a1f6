// storage v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kStorageFields = R"(
CSIDriver: 1 metadata:meta.ObjectMeta, 2 spec:CSIDriverSpec!
CSIDriverSpec: 1 attachRequired:b?, 2 podInfoOnMount:b?, 3 volumeLifecycleModes[]:s,
  4 storageCapacity:b?, 5 fsGroupPolicy:s?, 6 tokenRequests[]:TokenRequest, 7 requiresRepublish:b?,
  8 seLinuxMount:b?, 9 nodeAllocatableUpdatePeriodSeconds:l?, 10 serviceAccountTokenInSecrets:b?,
  11 preventPodSchedulingIfMissing:b?
CSINode: 1 metadata:meta.ObjectMeta, 2 spec:CSINodeSpec!
CSINodeDriver: 1 name:s!, 2 nodeID:s!, 3 topologyKeys[]:s!, 4 allocatable:VolumeNodeResources
CSINodeSpec: 1 drivers[]:CSINodeDriver!
CSIStorageCapacity: 1 metadata:meta.ObjectMeta, 2 nodeTopology:meta.LabelSelector,
  3 storageClassName:s!, 4 capacity:Quantity, 5 maximumVolumeSize:Quantity
StorageClass: 1 metadata:meta.ObjectMeta, 2 provisioner:s!, 3 parameters:{s}, 4 reclaimPolicy:s?,
  5 mountOptions[]:s, 6 allowVolumeExpansion:b?, 7 volumeBindingMode:s?,
  8 allowedTopologies[]:core.TopologySelectorTerm
TokenRequest: 1 audience:s!, 2 expirationSeconds:l?
VolumeAttachment: 1 metadata:meta.ObjectMeta, 2 spec:VolumeAttachmentSpec!,
  3 status:VolumeAttachmentStatus!
VolumeAttachmentSource: 1 persistentVolumeName:s?, 2 inlineVolumeSpec:core.PersistentVolumeSpec
VolumeAttachmentSpec: 1 attacher:s!, 2 source:VolumeAttachmentSource!, 3 nodeName:s!
VolumeAttachmentStatus: 1 attached:b!, 2 attachmentMetadata:{s}, 3 attachError:VolumeError,
  4 detachError:VolumeError
VolumeAttributesClass: 1 metadata:meta.ObjectMeta, 2 driverName:s!, 3 parameters:{s}
VolumeError: 1 time:Time!, 2 message:s, 3 errorCode:i?
VolumeNodeResources: 1 count:i?
)";

}  // namespace

std::string_view storage_fields() { return kStorageFields; }

}  // namespace davit
