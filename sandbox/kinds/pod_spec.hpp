/// The rules of a PodSpec, in pods and in the templates of what creates pods.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_path.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// The annotation of a pod that a kubelet made from a file.
inline constexpr std::string_view kMirrorPod = "kubernetes.io/config.mirror";

/// The names of those volumes that are in order; others cannot be mounted.
using VolumeNames = std::set<std::string, std::less<>>;

/// The holder of a spec: some rules wait until a template becomes a pod.
enum class PodHolder : std::uint8_t { kPod, kTemplate };

/// k8s: ValidatePodSpec. `more_volumes` are those that its pods will have besides.
void check_pod_spec(const Json& spec, PodHolder holder, const FieldPath& path, FieldErrors& errors,
                    const VolumeNames& more_volumes = {});
/// A whole template, metadata included. k8s: ValidatePodTemplateSpec.
void check_pod_template(const Json& tmpl, const FieldPath& path, FieldErrors& errors,
                        const VolumeNames& more_volumes = {});
/// Annotations that mean something on a pod.
void check_pod_annotations(const Json& annotations, const Json& spec, const FieldPath& path,
                           FieldErrors& errors);

// The parts, one file each.

[[nodiscard]] VolumeNames check_volumes(const Json& volumes, const FieldPath& path,
                                        FieldErrors& errors);
/// containers, initContainers and ephemeralContainers.
void check_all_containers(const Json& spec, const VolumeNames& volumes, const FieldPath& path,
                          FieldErrors& errors);
/// A container's or a pod's `resources`.
void check_resources(const Json& resources, const FieldPath& path, FieldErrors& errors);
/// A fieldRef of an environment variable or of a downward API volume.
void check_env_field_ref(const Json& ref, const FieldPath& path, FieldErrors& errors);
void check_volume_field_ref(const Json& ref, const FieldPath& path, FieldErrors& errors);
/// A path that stays below where it starts.
void check_descending_path(const Json& holder, std::string_view field, const FieldPath& path,
                           FieldErrors& errors);

void check_affinity(const Json& affinity, const FieldPath& path, FieldErrors& errors);
void check_tolerations(const Json& tolerations, const FieldPath& path, FieldErrors& errors);
void check_topology_spread(const Json& constraints, const FieldPath& path, FieldErrors& errors);
void check_scheduling_gates(const Json& gates, const FieldPath& path, FieldErrors& errors);

void check_pod_security(const Json& spec, const FieldPath& path, FieldErrors& errors);
void check_container_security(const Json& context, const FieldPath& path, FieldErrors& errors);

}  // namespace davit::sandbox
