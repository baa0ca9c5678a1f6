// Volumes and their sources.
#include "lib/kube/schema/descriptions/descriptions.hpp"

namespace davit {

namespace {

constexpr std::string_view kCoreVolumesDescriptions = R"(
core.v1.PersistentVolumeSpec: Desired state of a PersistentVolume. Exactly one source is set.
  accessModes: Ways in which it can be mounted.
  capacity: Size of the volume.
  claimRef: Claim that it is bound to.
  mountOptions: Options that it is mounted with.
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
(volumes):
  fsType: File system of the volume, such as ext4 or xfs. The default depends on the type of volume.
  readOnly: Whether the volume is mounted read-only. Default: false.
  secretRef: Secret with the credentials for the storage system.
  volumeID: Identity of the volume at the storage system.
core.v1.PersistentVolumeSource: Where the storage of a PersistentVolume is. Exactly one member is
    set.
  awsElasticBlockStore: Deprecated; disk of AWS. Use the CSI driver ebs.csi.aws.com.
  azureDisk: Deprecated; disk of Azure. Use the CSI driver disk.csi.azure.com.
  azureFile: Deprecated; share of Azure Files. Use the CSI driver file.csi.azure.com.
  cephfs: Deprecated and no longer supported; CephFS mount.
  cinder: Deprecated; Cinder volume. Use the CSI driver cinder.csi.openstack.org.
  csi: Volume of a CSI driver.
  fc: Disk of a Fibre Channel network.
  flexVolume: Deprecated; volume of a driver that runs as a program. Use CSI.
  flocker: Deprecated and no longer supported; Flocker dataset.
  gcePersistentDisk: Deprecated; disk of Google Cloud. Use the CSI driver pd.csi.storage.gke.io.
  glusterfs: Deprecated and no longer supported; GlusterFS volume.
  hostPath: A file or directory of the node, for tests on one node.
  iscsi: Disk of an iSCSI target.
  local: A disk or directory of a certain node.
  nfs: An NFS mount.
  photonPersistentDisk: Deprecated and no longer supported; disk of Photon Controller.
  portworxVolume: Deprecated; Portworx volume. Use the CSI driver pxd.portworx.com.
  quobyte: Deprecated and no longer supported; Quobyte volume.
  rbd: Deprecated and no longer supported; Ceph block device.
  scaleIO: Deprecated and no longer supported; ScaleIO volume.
  storageos: Deprecated and no longer supported; StorageOS volume.
  vsphereVolume: Deprecated; disk of vSphere. Use the CSI driver csi.vsphere.vmware.com.
core.v1.VolumeSource: Where the content of a volume comes from. Exactly one member is set.
  awsElasticBlockStore: Deprecated; disk of AWS. Use the CSI driver ebs.csi.aws.com.
  azureDisk: Deprecated; disk of Azure. Use the CSI driver disk.csi.azure.com.
  azureFile: Deprecated; share of Azure Files. Use the CSI driver file.csi.azure.com.
  cephfs: Deprecated and no longer supported; CephFS mount.
  cinder: Deprecated; Cinder volume. Use the CSI driver cinder.csi.openstack.org.
  configMap: Keys of a ConfigMap as files.
  csi: Volume of a CSI driver that lives as long as the Pod.
  downwardAPI: Fields of the Pod as files.
  emptyDir: An empty directory that lives as long as the Pod.
  ephemeral: A claim that lives as long as the Pod.
  fc: Disk of a Fibre Channel network.
  flexVolume: Deprecated; volume of a driver that runs as a program. Use CSI.
  flocker: Deprecated and no longer supported; Flocker dataset.
  gcePersistentDisk: Deprecated; disk of Google Cloud. Use the CSI driver pd.csi.storage.gke.io.
  gitRepo: Deprecated and off by default; checkout of a Git repository. Clone into an emptyDir in an
    init container instead.
  glusterfs: Deprecated and no longer supported; GlusterFS volume.
  hostPath: A file or directory of the node.
  image: Content of an OCI image.
  iscsi: Disk of an iSCSI target.
  nfs: An NFS mount.
  persistentVolumeClaim: A claim of the namespace.
  photonPersistentDisk: Deprecated and no longer supported; disk of Photon Controller.
  portworxVolume: Deprecated; Portworx volume. Use the CSI driver pxd.portworx.com.
  projected: Several sources in one directory.
  quobyte: Deprecated and no longer supported; Quobyte volume.
  rbd: Deprecated and no longer supported; Ceph block device.
  scaleIO: Deprecated and no longer supported; ScaleIO volume.
  secret: Keys of a Secret as files.
  storageos: Deprecated and no longer supported; StorageOS volume.
  vsphereVolume: Deprecated; disk of vSphere. Use the CSI driver csi.vsphere.vmware.com.
core.v1.AWSElasticBlockStoreVolumeSource: A disk of AWS.
core.v1.AWSElasticBlockStoreVolumeSource core.v1.GCEPersistentDiskVolumeSource:
  partition: Number of the partition to mount. Default: 0, the whole disk.
core.v1.AzureDiskVolumeSource: A disk of Azure.
  cachingMode: Caching on the host: None, ReadOnly or ReadWrite. Default: ReadWrite.
  diskName: Name of the disk.
  diskURI: URI of the disk.
  kind: Kind of the disk: Shared, Dedicated or Managed. Default: Shared.
core.v1.AzureFilePersistentVolumeSource core.v1.AzureFileVolumeSource: A share of Azure Files.
  secretName: Secret with the name and key of the storage account.
  shareName: Name of the share.
core.v1.AzureFilePersistentVolumeSource:
  secretNamespace: Namespace of the Secret. Default: that of the claim.
core.v1.CSIPersistentVolumeSource core.v1.CSIVolumeSource: A volume of a CSI driver.
  driver: Name of the driver.
  nodePublishSecretRef: Secret that the driver gets to mount the volume for a pod.
  volumeAttributes: Properties of the volume in the driver's own terms.
core.v1.CSIPersistentVolumeSource:
  controllerExpandSecretRef: Secret that the driver's controller gets to grow the volume.
  controllerPublishSecretRef: Secret that the driver's controller gets to attach and detach the
    volume.
  nodeExpandSecretRef: Secret that the driver gets to grow the volume on the node.
  nodeStageSecretRef: Secret that the driver gets to prepare the volume on the node.
  volumeHandle: Identity of the volume at its driver. It cannot change.
core.v1.CephFSPersistentVolumeSource core.v1.CephFSVolumeSource: A CephFS mount.
  monitors: Addresses of the Ceph monitors.
  path: Path in the file system to mount. Default: /.
  secretFile: File on the node with the user's key. Default: /etc/ceph/user.secret.
  user: Name of the Ceph user. Default: admin.
core.v1.CinderPersistentVolumeSource core.v1.CinderVolumeSource: A volume of OpenStack Cinder.
core.v1.FCVolumeSource: A disk of a Fibre Channel network. Either wwids, or targetWWNs and lun, are
    set.
  lun: Number of the logical unit.
  targetWWNs: World wide names of the targets.
  wwids: World wide identities of the disk.
core.v1.FlexPersistentVolumeSource core.v1.FlexVolumeSource: A volume of a driver that runs as a
    program on the node.
  driver: Name of the driver.
  options: Options in the driver's own terms.
core.v1.FlockerVolumeSource: A Flocker dataset. Either datasetName or datasetUUID is set.
  datasetName: Deprecated; name of the dataset.
  datasetUUID: UUID of the dataset.
core.v1.GCEPersistentDiskVolumeSource: A disk of Google Cloud.
  pdName: Name of the disk.
core.v1.GitRepoVolumeSource: A checkout of a Git repository.
  directory: Directory in the volume to clone into; . is the volume itself. It must not contain
    "..".
  repository: URL of the repository.
  revision: Commit to check out.
core.v1.GlusterfsPersistentVolumeSource core.v1.GlusterfsVolumeSource: A GlusterFS volume.
  endpoints: Name of the Endpoints with the servers' addresses.
  path: Name of the volume.
core.v1.GlusterfsPersistentVolumeSource:
  endpointsNamespace: Namespace of the Endpoints. Default: that of the claim.
core.v1.ISCSIPersistentVolumeSource core.v1.ISCSIVolumeSource: A disk of an iSCSI target.
  chapAuthDiscovery: Whether discovery uses CHAP. Default: false.
  chapAuthSession: Whether sessions use CHAP. Default: false.
  initiatorName: Name of the initiator. Default: that of the node.
  iqn: Qualified name of the target.
  iscsiInterface: Interface of the initiator. Default: default, which is TCP.
  lun: Number of the logical unit.
  portals: Further addresses of the target, with ports other than 3260.
  targetPortal: Address of the target, with a port other than 3260.
core.v1.LocalVolumeSource: A disk or directory of a certain node. The PersistentVolume must have a
    nodeAffinity.
  path: Path of the disk or directory on the node.
core.v1.NFSVolumeSource: An NFS mount.
  path: Path that the server exports.
  server: Name or address of the server.
core.v1.PhotonPersistentDiskVolumeSource: A disk of Photon Controller.
  pdID: Identity of the disk.
core.v1.PortworxVolumeSource: A Portworx volume.
core.v1.QuobyteVolumeSource: A Quobyte volume.
  group: Group that accesses the volume. Default: none.
  registry: Addresses of the registries, HOST:PORT, with commas between them.
  tenant: Tenant that owns the volume.
  user: User that accesses the volume. Default: the owner of the volume.
  volume: Name of the volume.
core.v1.RBDPersistentVolumeSource core.v1.RBDVolumeSource: A Ceph block device.
  image: Name of the image.
  keyring: File on the node with the keyring. Default: /etc/ceph/keyring.
  monitors: Addresses of the Ceph monitors.
  pool: Name of the pool. Default: rbd.
  user: Name of the Ceph user. Default: admin.
core.v1.ScaleIOPersistentVolumeSource core.v1.ScaleIOVolumeSource: A ScaleIO volume.
  gateway: Address of the ScaleIO API gateway.
  protectionDomain: Protection domain of the storage.
  sslEnabled: Whether the gateway is reached over TLS. Default: false.
  storageMode: ThickProvisioned or ThinProvisioned. Default: ThinProvisioned.
  storagePool: Storage pool in the protection domain.
  system: Name of the storage system.
  volumeName: Name of the volume.
core.v1.StorageOSPersistentVolumeSource core.v1.StorageOSVolumeSource: A StorageOS volume.
  volumeName: Name of the volume, unique in its namespace.
  volumeNamespace: Namespace of the volume at StorageOS. Default: that of the Pod.
core.v1.VsphereVirtualDiskVolumeSource: A disk of vSphere.
  storagePolicyID: Identity of the storage policy.
  storagePolicyName: Name of the storage policy.
  volumePath: Path of the disk.
core.v1.SecretReference: Names a Secret in any namespace.
  name: Name of the Secret.
  namespace: Namespace of the Secret.
core.v1.VolumeNodeAffinity: Nodes that reach a volume.
  required: What a node must fulfil. It can hardly change once set.
core.v1.TopologySelectorTerm: Parts of the cluster. All requirements must hold.
  matchLabelExpressions: Requirements on labels of nodes.
core.v1.TopologySelectorLabelRequirement: A label of nodes and its possible values.
  key: Key of the label.
  values: Values, one of which the label must have.
core.v1.PersistentVolumeClaimCondition: One aspect of the state of a claim, such as Resizing.
core.v1.PersistentVolumeClaimTemplate: The claim that an ephemeral volume creates.
  metadata: Labels and annotations of the claim.
  spec: The storage that is asked for.
core.v1.ModifyVolumeStatus: How far a change of a claim's class of attributes has come.
  status: Pending, InProgress or Infeasible.
  targetVolumeAttributesClassName: Class of attributes that the volume is being changed to.
core.v1.VolumeResourceRequirements: Size of a volume.
  limits: Most storage that is allowed.
  requests: Least storage that is needed.
core.v1.TypedLocalObjectReference core.v1.TypedObjectReference: Names an object of any kind.
  apiGroup: API group of the object. Absent: the core group.
  kind: Kind of the object.
  name: Name of the object.
core.v1.TypedObjectReference:
  namespace: Namespace of the object. Another one than the own needs a ReferenceGrant.
core.v1.DownwardAPIVolumeSource: Fields of the Pod as files.
  defaultMode: Permissions of the files. Default: 0644.
  items: Files with their fields.
core.v1.DownwardAPIProjection: Fields of the Pod as files of a projected volume.
  items: Files with their fields.
core.v1.DownwardAPIVolumeFile: A file with a field of the Pod. Either fieldRef or resourceFieldRef
    is set.
  fieldRef: Field of the Pod: labels, annotations, name, namespace or uid.
  mode: Permissions of the file. Default: those of the volume.
  path: Path of the file, relative to the volume. It must not contain "..".
  resourceFieldRef: Resource of a container, such as limits.cpu.
core.v1.ResourceFieldSelector: A resource of a container.
  containerName: Name of the container. Required for volumes.
  divisor: Unit of the value, such as 1Mi. Default: 1.
  resource: Resource with limits. or requests. before it, such as limits.memory.
core.v1.EphemeralVolumeSource: A claim that lives as long as the Pod.
  volumeClaimTemplate: The claim to create. Its name is POD-VOLUME.
core.v1.ImageVolumeSource: Content of an OCI image.
  pullPolicy: Always, IfNotPresent or Never. Default: Always for tag latest, else IfNotPresent.
  reference: The image.
core.v1.ProjectedVolumeSource: Several sources in one directory.
  defaultMode: Permissions of the files. Default: 0644.
  sources: The sources.
core.v1.VolumeProjection: A source of a projected volume. Exactly one member is set.
  clusterTrustBundle: Certificates of ClusterTrustBundles.
  configMap: Keys of a ConfigMap.
  downwardAPI: Fields of the Pod.
  podCertificate: Key and certificate for the Pod.
  secret: Keys of a Secret.
  serviceAccountToken: Token of the Pod's ServiceAccount.
core.v1.ClusterTrustBundleProjection: Certificates of ClusterTrustBundles as a file. Either name or
    signerName is set.
  labelSelector: Labels of the bundles. Only with signerName. Absent: none; empty: all of the
    signer.
  name: Name of one bundle.
  optional: Whether the bundles may be missing. Default: false.
  path: Path of the file, relative to the volume.
  signerName: Signer of the bundles.
core.v1.ConfigMapProjection: Keys of a ConfigMap as files of a projected volume.
  name: Name of the ConfigMap.
core.v1.SecretProjection: Keys of a Secret as files of a projected volume.
  name: Name of the Secret.
core.v1.ConfigMapProjection core.v1.SecretProjection:
  items: Keys to show, with their paths. Empty: all keys by their names.
  optional: Whether the object or its keys may be missing. Default: false.
core.v1.PodCertificateProjection: A private key and a certificate that the kubelet requests and
    renews. Paths are relative to the volume.
  certificateChainPath: Path of a file with the certificates alone. Prefer credentialBundlePath.
  credentialBundlePath: Path of a file with the key, followed by the certificates.
  keyPath: Path of a file with the key alone. Prefer credentialBundlePath.
  keyType: Type of the key: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519.
  maxExpirationSeconds: Longest lifetime of the certificate in seconds, at least 3600. Default:
    86400.
  signerName: Signer of the certificate.
  userAnnotations: Further data for the signer. Kubernetes does not interpret it.
core.v1.ServiceAccountTokenProjection: A token of the Pod's ServiceAccount as a file.
  audience: Recipient that the token is meant for. Default: the API server.
  expirationSeconds: Lifetime of the token in seconds, at least 600. The kubelet renews it in time.
    Default: 3600.
  path: Path of the file, relative to the volume.
)";

}  // namespace

std::string_view core_volumes_descriptions() { return kCoreVolumesDescriptions; }

}  // namespace davit
