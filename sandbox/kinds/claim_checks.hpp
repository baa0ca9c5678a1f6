/// The rules of a PersistentVolumeClaimSpec, in claims and in the templates of volumes.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_path.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// spec.accessModes of a claim or of a volume; `path` is that of the spec.
void check_access_modes(const Json& spec, const FieldPath& path, FieldErrors& errors);
/// k8s: ValidatePersistentVolumeClaimSpec.
void check_claim_spec(const Json& spec, const FieldPath& path, FieldErrors& errors);
/// Labels and annotations, and nothing else. k8s: ValidateTemplateObjectMeta.
void check_template_metadata(const Json& metadata, const FieldPath& path, FieldErrors& errors);
/// Labels, annotations and a spec. k8s: ValidatePersistentVolumeClaimTemplate.
void check_claim_template(const Json& tmpl, const FieldPath& path, FieldErrors& errors);
/// Adds a warning for each size that is no whole number of bytes.
/// k8s: pkg/api/persistentvolumeclaim/util.go.
void add_claim_warnings(const Json& spec, const FieldPath& path, std::vector<std::string>& out);

/// "LIST[RESOURCE]: fractional byte value …" if the list has a part of a byte of that resource.
void add_fraction_warning(const Json& list, std::string_view resource, const FieldPath& path,
                          std::vector<std::string>& out);

}  // namespace davit::sandbox
