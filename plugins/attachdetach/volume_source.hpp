/// Attachable volumes and their names. Rules: docs/spec/attachdetach.md, 4 to 6.
#pragma once

#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/shared/volumes/views.hpp"

namespace davit::attachdetach {

/// A volume that has to be attached to a node before it can be mounted there.
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

/// The volume that a PersistentVolume stands for; nothing if it is not attachable.
[[nodiscard]] std::optional<Source> source_of(const volumes::Volume& volume);
/// The same for an entry of a pod's volumes that names no claim. `ns`: the pod's.
[[nodiscard]] std::optional<Source> inline_source_of(Value volume, std::string_view ns);
/// The same for the inline volume of an attachment.
[[nodiscard]] std::optional<Source> inline_source_of(const volumes::Attachment& attachment);
/// All that the name of a volume says of it.
[[nodiscard]] Source source_from_name(std::string_view name);

/// "kubernetes.io/csi:<driver>", "kubernetes.io/iscsi" or "kubernetes.io/fc", for metrics.
[[nodiscard]] std::string plugin_of(const Source& source);
/// SHA-256 in lower-case hex.
[[nodiscard]] std::string hash_of(std::string_view text);
/// The name of the VolumeAttachment of a CSI volume on a node.
[[nodiscard]] std::string attachment_name(const Source& source, std::string_view node);

}  // namespace davit::attachdetach
