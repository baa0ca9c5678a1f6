/// Interned names of the members that controllers read, resolved once when a controller starts.
#pragma once

#include <davit/abi.h>

#include <string_view>

namespace davit {

/// An interned member name: looking a member up by it costs an integer compare.
struct Name {
  davit_name id = 0;
};

// The C++ name and the JSON name of each well-known member.
#define DAVIT_WELL_KNOWN_NAMES(X)                            \
  X(addresses, "addresses")                                  \
  X(annotations, "annotations")                              \
  X(api_version, "apiVersion")                               \
  X(app_protocol, "appProtocol")                             \
  X(available_replicas, "availableReplicas")                 \
  X(block_owner_deletion, "blockOwnerDeletion")              \
  X(cluster_ip, "clusterIP")                                 \
  X(collision_count, "collisionCount")                       \
  X(conditions, "conditions")                                \
  X(container_port, "containerPort")                         \
  X(container_statuses, "containerStatuses")                 \
  X(containers, "containers")                                \
  X(controller, "controller")                                \
  X(creation_timestamp, "creationTimestamp")                 \
  X(deletion_timestamp, "deletionTimestamp")                 \
  X(effect, "effect")                                        \
  X(field_path, "fieldPath")                                 \
  X(finalizers, "finalizers")                                \
  X(fully_labeled_replicas, "fullyLabeledReplicas")          \
  X(generate_name, "generateName")                           \
  X(generation, "generation")                                \
  X(hostname, "hostname")                                    \
  X(init_container_statuses, "initContainerStatuses")        \
  X(init_containers, "initContainers")                       \
  X(ip, "ip")                                                \
  X(ip_families, "ipFamilies")                               \
  X(items, "items")                                          \
  X(key, "key")                                              \
  X(kind, "kind")                                            \
  X(labels, "labels")                                        \
  X(last_heartbeat_time, "lastHeartbeatTime")                \
  X(last_probe_time, "lastProbeTime")                        \
  X(last_transition_time, "lastTransitionTime")              \
  X(last_update_time, "lastUpdateTime")                      \
  X(match_expressions, "matchExpressions")                   \
  X(match_labels, "matchLabels")                             \
  X(max_surge, "maxSurge")                                   \
  X(max_unavailable, "maxUnavailable")                       \
  X(message, "message")                                      \
  X(metadata, "metadata")                                    \
  X(min_ready_seconds, "minReadySeconds")                    \
  X(name, "name")                                            \
  X(node_name, "nodeName")                                   \
  X(not_ready_addresses, "notReadyAddresses")                \
  X(ns, "namespace")                                         \
  X(observed_generation, "observedGeneration")               \
  X(op, "operator")                                          \
  X(owner_references, "ownerReferences")                     \
  X(paused, "paused")                                        \
  X(phase, "phase")                                          \
  X(pod_ip, "podIP")                                         \
  X(pod_ips, "podIPs")                                       \
  X(pod_template, "template")                                \
  X(port, "port")                                            \
  X(ports, "ports")                                          \
  X(progress_deadline_seconds, "progressDeadlineSeconds")    \
  X(protocol, "protocol")                                    \
  X(publish_not_ready_addresses, "publishNotReadyAddresses") \
  X(ready_replicas, "readyReplicas")                         \
  X(reason, "reason")                                        \
  X(renew_time, "renewTime")                                 \
  X(replicas, "replicas")                                    \
  X(resource_version, "resourceVersion")                     \
  X(restart_count, "restartCount")                           \
  X(restart_policy, "restartPolicy")                         \
  X(revision_history_limit, "revisionHistoryLimit")          \
  X(rolling_update, "rollingUpdate")                         \
  X(selector, "selector")                                    \
  X(spec, "spec")                                            \
  X(status, "status")                                        \
  X(strategy, "strategy")                                    \
  X(subdomain, "subdomain")                                  \
  X(subsets, "subsets")                                      \
  X(taints, "taints")                                        \
  X(target_port, "targetPort")                               \
  X(target_ref, "targetRef")                                 \
  X(terminating_replicas, "terminatingReplicas")             \
  X(time_added, "timeAdded")                                 \
  X(toleration_seconds, "tolerationSeconds")                 \
  X(tolerations, "tolerations")                              \
  X(type, "type")                                            \
  X(uid, "uid")                                              \
  X(unavailable_replicas, "unavailableReplicas")             \
  X(unschedulable, "unschedulable")                          \
  X(updated_replicas, "updatedReplicas")                     \
  X(value, "value")                                          \
  X(values, "values")

/// The well-known names. Used as `value[&Names::metadata][&Names::labels]`.
struct Names {
#define DAVIT_DECLARE_NAME(member, text) Name member;
  DAVIT_WELL_KNOWN_NAMES(DAVIT_DECLARE_NAME)
#undef DAVIT_DECLARE_NAME

  /// Resolves all of them through `intern`, a callable from std::string_view to davit_name.
  template <typename Intern>
  static Names resolve(const Intern& intern) {
    Names names;
#define DAVIT_RESOLVE_NAME(member, text) names.member = Name{intern(std::string_view(text))};
    DAVIT_WELL_KNOWN_NAMES(DAVIT_RESOLVE_NAME)
#undef DAVIT_RESOLVE_NAME
    return names;
  }
};

}  // namespace davit
