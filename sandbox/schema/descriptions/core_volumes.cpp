// Volumes and their sources.
#include "sandbox/schema/descriptions/descriptions.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kCoreVolumesDescriptions = R"(
core.v1.PersistentVolumeSpec: Desired state of a PersistentVolume. Exactly one source is set.
  accessModes: Ways in which it can be mounted.
  capacity: Size of the volume.
  claimRef: Claim that it is bound to.
  csi: Volume of a CSI driver.
  hostPath: A file or directory of the node, for tests on one node.
  local: A disk or directory of a certain node.
  mountOptions: Options that it is mounted with.
  nfs: An NFS mount.
  nodeAffinity: Nodes that reach the volume.
  persistentVolumeReclaimPolicy: What happens when its claim is gone: Retain, Delete or Recycle.
  storageClassName: StorageClass that it belongs to.
  volumeAttributesClassName: Class of attributes that is in effect.
  volumeMode: Filesystem or Block. Default: Filesystem.
core.v1.PersistentVolumeStatus: Observed state of a PersistentVolume.
  lastPhaseTransitionTime: When the phase last changed.
  message: Text for people on why the volume is in this state.
  phase: Pending, Available, Bound, Released or Failed.
  reason: One CamelCase word on a failure.
core.v1.ConfigMapVolumeSource: Keys of a ConfigMap as files.
  defaultMode: Permissions of the files. Default: 0644.
  items: Keys to show, with their paths. Empty: all keys by their names.
  name: Name of the ConfigMap.
  optional: Whether the ConfigMap may be missing.
core.v1.SecretVolumeSource: Keys of a Secret as files.
  defaultMode: Permissions of the files. Default: 0644.
  items: Keys to show, with their paths. Empty: all keys by their names.
  optional: Whether the Secret may be missing.
  secretName: Name of the Secret.
core.v1.KeyToPath: A key and the path of its file.
  key: The key.
  mode: Permissions of the file.
  path: Path of the file, relative to the volume.
core.v1.EmptyDirVolumeSource: An empty directory that lives as long as the Pod.
  medium: Memory for a file system in memory. Default: the node's disk.
  sizeLimit: Most that it may hold.
core.v1.HostPathVolumeSource: A file or directory of the node.
  path: Path on the node.
  type: What must be at the path, such as Directory or FileOrCreate. Default: no check.
core.v1.PersistentVolumeClaimVolumeSource: A claim of the Pod's namespace.
  claimName: Name of the claim.
  readOnly: Whether it is mounted read-only. Default: false.
core.v1.ConfigMapKeySelector: A key of a ConfigMap.
  key: The key.
  name: Name of the ConfigMap.
  optional: Whether it may be missing.
core.v1.SecretKeySelector: A key of a Secret.
  key: The key.
  name: Name of the Secret.
  optional: Whether it may be missing.
core.v1.ObjectFieldSelector: A field of the Pod.
  apiVersion: Version of the API that the path is written in. Default: v1.
  fieldPath: Path of the field.
)";

}  // namespace

std::string_view core_volumes_descriptions() { return kCoreVolumesDescriptions; }

}  // namespace davit::sandbox
