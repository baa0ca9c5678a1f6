/// The plugins of the chain, as functions. Each refuses, or changes the object and lets it pass.
#pragma once

#include <cstdint>
#include <davit/kube/pod_resources.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/admission/admission.hpp"

namespace davit::sandbox {

/// The context of admission plugins. Borrowed for the call.
struct AdmissionContext {
  const ObjectLookup& objects;
  Random& random;
};

/// "pods \"p\"" of a message: the object's name, or what will become its name.
[[nodiscard]] Subject subject_of(const WriteRequest& request, const Json& object);
[[nodiscard]] ApiError refuse(const WriteRequest& request, const Json& object,
                              std::string_view why);
/// Whether the write is of `name` in `group` itself, not of a subresource.
[[nodiscard]] bool is_write_of(const WriteRequest& request, std::string_view group,
                               std::string_view name);

/// NamespaceLifecycle.
[[nodiscard]] ApiFailure check_namespace(const WriteRequest& request, const Json& object,
                                         const ObjectLookup& objects);
/// LimitRanger: what containers get when they ask for nothing.
void default_limits(const WriteRequest& request, Json& object, const ObjectLookup& objects);
/// LimitRanger: bounds.
[[nodiscard]] ApiFailure check_limits(const WriteRequest& request, const Json& object,
                                      const ObjectLookup& objects);
/// ServiceAccount.
[[nodiscard]] ApiFailure admit_service_account(const WriteRequest& request, Json& pod,
                                               const AdmissionContext& context);
/// Priority, for pods and for the one default among the classes.
[[nodiscard]] ApiFailure admit_priority(const WriteRequest& request, Json& pod,
                                        const ObjectLookup& objects);
[[nodiscard]] ApiFailure check_default_class(const WriteRequest& request,
                                             const Json& priority_class,
                                             const ObjectLookup& objects);
/// DefaultTolerationSeconds.
void add_tolerations(Json& pod);
/// PodTopologyLabels: adds the zone and region of the node that a pod or Binding names, unless
/// `object` has such labels.
void add_topology_labels(Json& object, std::string_view node, const ObjectLookup& objects);
/// TaintNodesByCondition.
void add_not_ready_taint(Json& node);
/// StorageObjectInUseProtection.
void add_finalizer(Json& object, std::string_view finalizer);
/// DefaultStorageClass: the class of a claim that names none.
void set_default_storage_class(Json& claim, const ObjectLookup& objects);
/// PersistentVolumeClaimResize, once the claim is valid: it is bound, and its class allows that it
/// grows.
[[nodiscard]] ApiFailure check_growth(const WriteRequest& request, const Json& claim,
                                      const ObjectLookup& objects);
/// Once a claim, its template or its allocation is valid: admin access needs a label of the
/// namespace. k8s: AuthorizedForAdmin of pkg/registry/resource.
[[nodiscard]] ApiFailure check_admin_access(const WriteRequest& request, const Json& object,
                                            const ObjectLookup& objects);
/// RuntimeClass: overhead, node selector and tolerations of the class that the pod names.
[[nodiscard]] ApiFailure apply_runtime_class(const WriteRequest& request, Json& pod,
                                             const ObjectLookup& objects);
/// RuntimeClass, once the pod is valid: no overhead but the class's.
[[nodiscard]] ApiFailure check_overhead(const WriteRequest& request, const Json& pod,
                                        const ObjectLookup& objects);

}  // namespace davit::sandbox
