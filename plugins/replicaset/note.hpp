/// The plugin's declarations, which the host reads before any of its code runs. A macro, because
/// the note is placed at compile time. Tests run the controller under the same rights and
/// projections.
#pragma once

// Pods are many, so their projection names single fields; README.md says who reads which.
// clang-format off
#define DAVIT_REPLICASET_NOTE \
  R"({"name":"replicaset","version":"0.1.0","abi":"1.0","requires":["davit.object/1",)" \
  R"("davit.informer/1","davit.queue/1","davit.client/1","davit.event/1","davit.log/1",)" \
  R"("davit.clock/1","davit.metric/1","davit.config/1"],"controllers":[{)" \
  R"("name":"replicaset-controller","aliases":["replicaset"],"workers":5,)" \
  R"("clientName":"replicaset-controller","rules":[)" \
  R"({"group":"apps","resource":"replicasets","verbs":["get","list","watch"]},)" \
  R"({"group":"apps","resource":"replicasets","subresource":"status","verbs":["patch"]},)" \
  R"({"group":"apps","resource":"replicasets","subresource":"finalizers","verbs":[)" \
  R"("update"]},)" \
  R"({"group":"","resource":"pods","verbs":["list","watch","create","delete","patch"]},)" \
  R"({"group":"","resource":"events","verbs":["create","patch"]},)" \
  R"({"group":"events.k8s.io","resource":"events","verbs":["create","patch"]}],"watches":[)" \
  R"({"group":"apps","version":"v1","resource":"replicasets","projection":[)" \
  R"("metadata.generation","metadata.deletionTimestamp","metadata.ownerReferences","spec",)" \
  R"("status"]},)" \
  R"({"group":"","version":"v1","resource":"pods","projection":[)" \
  R"("metadata.labels","metadata.creationTimestamp","metadata.deletionTimestamp",)" \
  R"("metadata.annotations['controller.kubernetes.io/pod-deletion-cost']",)" \
  R"("metadata.ownerReferences","spec.nodeName","spec.initContainers[].name",)" \
  R"("spec.initContainers[].restartPolicy","status.phase","status.conditions[].type",)" \
  R"("status.conditions[].status","status.conditions[].lastTransitionTime",)" \
  R"("status.containerStatuses[].restartCount","status.initContainerStatuses[].name",)" \
  R"("status.initContainerStatuses[].restartCount"]}]}]})"
// clang-format on
