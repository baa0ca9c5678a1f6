/// Attachable volumes. Rules: docs/spec/attachdetach.md, 4 to 6.
#pragma once

#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/shared/volumes/views.hpp"
#include "plugins/shared/volumes/volume_source.hpp"

namespace davit::attachdetach {

/// A volume that has to be attached to a node before it can be mounted there.
using volumes::Source;
using volumes::source_from_name;

/// The volume that a PersistentVolume stands for; nothing if it is not attachable.
[[nodiscard]] std::optional<Source> source_of(const volumes::Volume& volume);
/// The same for an entry of a pod's volumes that names no claim. `ns`: the pod's.
[[nodiscard]] std::optional<Source> inline_source_of(Value volume, std::string_view ns);
/// The same for the inline volume of an attachment.
[[nodiscard]] std::optional<Source> inline_source_of(const volumes::Attachment& attachment);

/// SHA-256 in lower-case hex.
[[nodiscard]] std::string hash_of(std::string_view text);
/// The name of the VolumeAttachment of a CSI volume on a node.
[[nodiscard]] std::string attachment_name(const Source& source, std::string_view node);

}  // namespace davit::attachdetach
