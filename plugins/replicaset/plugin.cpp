/// The plugin's entry: what it declares, and the table with its one controller.
#include <davit/entry.hpp>

#include "plugins/replicaset/replicaset_controller.hpp"

// Pods are many, so their projection names single fields; README.md says who reads which.
DAVIT_PLUGIN(
    R"({"name":"replicaset","version":"0.1.0","abi":"1.0",
"requires":["davit.object/1","davit.informer/1","davit.queue/1","davit.client/1","davit.event/1",
"davit.log/1","davit.clock/1","davit.metric/1","davit.config/1"],
"controllers":[{"name":"replicaset-controller","aliases":["replicaset"],"workers":5,
"clientName":"replicaset-controller",
"rules":[
{"group":"apps","resource":"replicasets","verbs":["get","list","watch"]},
{"group":"apps","resource":"replicasets","subresource":"status","verbs":["patch"]},
{"group":"apps","resource":"replicasets","subresource":"finalizers","verbs":["update"]},
{"group":"","resource":"pods","verbs":["list","watch","create","delete","patch"]},
{"group":"","resource":"events","verbs":["create","patch"]},
{"group":"events.k8s.io","resource":"events","verbs":["create","patch"]}],
"watches":[
{"group":"apps","version":"v1","resource":"replicasets","projection":[
"metadata.generation","metadata.deletionTimestamp","metadata.ownerReferences","spec","status"]},
{"group":"","version":"v1","resource":"pods","projection":[
"metadata.labels","metadata.creationTimestamp","metadata.deletionTimestamp",
"metadata.annotations['controller.kubernetes.io/pod-deletion-cost']","metadata.ownerReferences",
"spec.nodeName","spec.initContainers[].name","spec.initContainers[].restartPolicy",
"status.phase","status.conditions[].type","status.conditions[].status",
"status.conditions[].lastTransitionTime","status.containerStatuses[].restartCount",
"status.initContainerStatuses[].name","status.initContainerStatuses[].restartCount"]}]}]})",
    {"replicaset-controller", &davit::replicaset::ReplicaSetController::open});
