/// Volumes that a node attaches or mounts by a name of their own, and these names. Rules:
/// docs/spec/attachdetach.md, 4 to 6.
#pragma once

#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/shared/volumes/views.hpp"

namespace davit::volumes {

/// A volume of a CSI driver, also in the place of an in-tree plugin, of iSCSI, or of Fibre Channel.
struct Source {
  std::string name;               ///< "kubernetes.io/csi/<driver>^<handle>": its identity.
  std::string driver;             ///< Empty: iscsi or fc, which nothing is created for.
  std::string handle;             ///< The driver's name of the volume.
  std::string title;              ///< In Events.
  std::string persistent_volume;  ///< Empty: the pod describes the volume inline.
  bool allows_many_nodes = false;
  bool is_translated = false;  ///< From an in-tree plugin to its CSI driver.

  /// An inline volume of an in-tree plugin: its attachment is kept, but none is made.
  [[nodiscard]] bool is_refused() const { return is_translated && persistent_volume.empty(); }
  friend bool operator==(const Source&, const Source&) = default;
};

/// The volume that a PersistentVolume stands for; nothing if it is of another kind. Leaves
/// `allows_many_nodes` at false, as does the next one.
[[nodiscard]] std::optional<Source> source_of_volume(const Volume& volume);
/// The same for an entry of a pod's volumes that names no claim. `ns`: the pod's. An inline volume
/// of a CSI driver is of another kind.
[[nodiscard]] std::optional<Source> source_of_inline(Value volume, std::string_view ns);
/// The same for the member `csi` of a volume's spec.
[[nodiscard]] std::optional<Source> source_of_csi(Value csi, std::string_view title);
/// All that the name of a volume says of it.
[[nodiscard]] Source source_from_name(std::string_view name);

/// "kubernetes.io/csi:<driver>", "kubernetes.io/iscsi" or "kubernetes.io/fc", for metrics.
[[nodiscard]] std::string plugin_of(const Source& source);

}  // namespace davit::volumes
