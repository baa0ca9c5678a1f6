/// The rules of volume sources that name a storage system. Each checks what the table of
/// constraints cannot say; k8s: validateVolumeSource.
#pragma once

#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_path.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

void check_git_repo(const Json& source, const FieldPath& path, FieldErrors& errors);
void check_iscsi(const Json& source, const FieldPath& path, FieldErrors& errors);
/// A volume whose iscsi source has an initiator's name; `path` is the volume's.
void check_iscsi_names(const Json& volume, const FieldPath& path, FieldErrors& errors);
void check_flocker(const Json& source, const FieldPath& path, FieldErrors& errors);
/// secretRef, if there is one, has a name.
void check_secret_ref(const Json& source, const FieldPath& path, FieldErrors& errors);
void check_quobyte(const Json& source, const FieldPath& path, FieldErrors& errors);
void check_fibre_channel(const Json& source, const FieldPath& path, FieldErrors& errors);
void check_flex_volume(const Json& source, const FieldPath& path, FieldErrors& errors);
void check_azure_disk(const Json& source, const FieldPath& path, FieldErrors& errors);
void check_csi_source(const Json& source, const FieldPath& path, FieldErrors& errors);
void check_ephemeral(const Json& source, const FieldPath& path, FieldErrors& errors);

/// ASCII only.
[[nodiscard]] std::string to_lower(std::string_view text);
/// "disk.csi.example.com": upper case is fine. k8s: ValidateCSIDriverName.
void check_csi_driver_name(std::string_view name, const FieldPath& path, FieldErrors& errors);

}  // namespace davit::sandbox
