/// Checks that volumes and the kinds of storage.k8s.io share.
#pragma once

#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_path.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// The annotation of volumes and claims that named the class before `storageClassName` did.
inline constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";
/// The warning about it.
[[nodiscard]] std::string class_annotation_warning();

/// The spec of a volume that a VolumeAttachment has inline, without PersistentVolume.
/// k8s: ValidatePersistentVolumeSpec of pkg/apis/core/validation.
void check_inline_volume_spec(const Json& spec, const FieldPath& path, FieldErrors& errors);

}  // namespace davit::sandbox
