/// The in-tree volume plugins whose work a CSI driver does. Rule: docs/spec/volumes.md, A2.
#pragma once

#include <davit/object.hpp>
#include <optional>
#include <string_view>

namespace davit::volumes {

/// One in-tree plugin.
struct MigratedPlugin {
  std::string_view name;    ///< "kubernetes.io/aws-ebs"
  std::string_view driver;  ///< "ebs.csi.aws.com"
  std::string_view source;  ///< The member of a volume's spec that belongs to it.
};

inline constexpr MigratedPlugin kMigratedPlugins[] = {
    {"kubernetes.io/aws-ebs", "ebs.csi.aws.com", "awsElasticBlockStore"},
    {"kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "gcePersistentDisk"},
    {"kubernetes.io/azure-disk", "disk.csi.azure.com", "azureDisk"},
    {"kubernetes.io/azure-file", "file.csi.azure.com", "azureFile"},
    {"kubernetes.io/cinder", "cinder.csi.openstack.org", "cinder"},
    {"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "vsphereVolume"},
    {"kubernetes.io/portworx-volume", "pxd.portworx.com", "portworxVolume"},
};

/// The CSI driver of an in-tree plugin; nothing if the plugin has none.
[[nodiscard]] inline std::optional<std::string_view> driver_of(std::string_view plugin) {
  for (const MigratedPlugin& each : kMigratedPlugins) {
    if (each.name == plugin) return each.driver;
  }
  return std::nullopt;
}

/// The plugin whose source the spec of a volume has; null if it has the source of no plugin.
[[nodiscard]] inline const MigratedPlugin* migrated_source(Value volume_spec) {
  for (const MigratedPlugin& each : kMigratedPlugins) {
    if (volume_spec[each.source]) return &each;
  }
  return nullptr;
}

/// Whether the name is one of an in-tree plugin.
[[nodiscard]] inline bool is_in_tree(std::string_view plugin) {
  return plugin.starts_with("kubernetes.io/");
}

}  // namespace davit::volumes
