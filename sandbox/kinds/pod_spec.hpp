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
/// The name of a resource that a container may have.
void check_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors);
/// A container's `resources`, except its claims.
void check_resources(const Json& resources, const FieldPath& path, FieldErrors& errors);
/// resources.claims of a container, each of which must be among those of the pod.
void check_resource_claims(const Json& claims, const Json& pod_claims, const FieldPath& path,
                           FieldErrors& errors);
/// `resources` of a pod. `path` is that of the spec. k8s: validatePodResources.
void check_pod_resources(const Json& spec, const FieldPath& path, FieldErrors& errors);
/// spec.resourceClaims. k8s: validatePodResourceClaims.
void check_pod_claims(const Json& claims, const FieldPath& path, FieldErrors& errors);
/// A fieldRef of an environment variable or of a downward API volume.
void check_env_field_ref(const Json& ref, const FieldPath& path, FieldErrors& errors);
void check_volume_field_ref(const Json& ref, const FieldPath& path, FieldErrors& errors);
/// A resourceFieldRef of either. A volume must name the container.
void check_env_resource_ref(const Json& ref, const FieldPath& path, FieldErrors& errors);
void check_volume_resource_ref(const Json& ref, const FieldPath& path, FieldErrors& errors);
/// Whether a part of the path is "..".
[[nodiscard]] bool has_backstep(std::string_view path);
/// Sources that a pod's volume and a PersistentVolume have in common.
void check_host_path(const Json& source, const FieldPath& path, FieldErrors& errors);
void check_nfs(const Json& source, const FieldPath& path, FieldErrors& errors);
/// A path without "..".
void check_no_backstep(const Json& holder, std::string_view field, const FieldPath& path,
                       FieldErrors& errors);
/// A path that stays below where it starts.
void check_descending_path(const Json& holder, std::string_view field, const FieldPath& path,
                           FieldErrors& errors);

/// k8s: ValidateNodeSelector.
void check_node_selector(const Json& selector, const FieldPath& path, FieldErrors& errors);
void check_affinity(const Json& affinity, const FieldPath& path, FieldErrors& errors);
void check_tolerations(const Json& tolerations, const FieldPath& path, FieldErrors& errors);
void check_topology_spread(const Json& constraints, const FieldPath& path, FieldErrors& errors);
void check_scheduling_gates(const Json& gates, const FieldPath& path, FieldErrors& errors);

void check_pod_security(const Json& spec, const FieldPath& path, FieldErrors& errors);
/// `host_users`: the pod has the users of its node.
void check_container_security(const Json& context, bool host_users, const FieldPath& path,
                              FieldErrors& errors);
/// Whether a pod has the users of its node, as it has by default.
[[nodiscard]] bool uses_host_users(const Json& spec);
/// Fields that spec.os rules out. k8s: validateOS, validateLinux and validateWindows.
void check_os(const Json& spec, const FieldPath& path, FieldErrors& errors);
/// k8s: validateWindowsSecurityContextOptions.
void check_windows_options(const Json& options, const FieldPath& path, FieldErrors& errors);
/// k8s: validateWindowsHostProcessPod.
void check_host_process(const Json& spec, const FieldPath& path, FieldErrors& errors);
/// Host namespaces and devices, which a pod with users apart from the node may not have.
/// k8s: validateHostUsers.
void check_host_users(const Json& spec, const FieldPath& path, FieldErrors& errors);

/// Calls `visit(container, path)` for all containers. k8s: VisitContainersWithPath.
template <typename Visit>
void visit_containers(const Json& spec, const FieldPath& path, Visit visit) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    const FieldPath containers = path.child(list);
    std::size_t index = 0;
    for (const Json& each : spec.get(list).items()) {
      const FieldPath here = containers.index(index++);
      visit(each, here);
    }
  }
}

}  // namespace davit::sandbox
