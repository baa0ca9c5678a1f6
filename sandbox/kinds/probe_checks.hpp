/// The rules of a container's probes, hooks and environment.
#pragma once

#include <cstdint>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_path.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

enum class ProbePurpose : std::uint8_t { kLiveness, kReadiness, kStartup };

/// Null is fine.
void check_probe(const Json& probe, ProbePurpose purpose, const FieldPath& path,
                 FieldErrors& errors);
/// postStart and preStop. `grace_seconds` bounds a sleep.
void check_lifecycle(const Json& lifecycle, const Json& grace_seconds, const FieldPath& path,
                     FieldErrors& errors);

void check_env(const Json& variables, const FieldPath& path, FieldErrors& errors);
void check_env_from(const Json& sources, const FieldPath& path, FieldErrors& errors);

}  // namespace davit::sandbox
