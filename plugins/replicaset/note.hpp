/// What the plugin declares to the host before any of its code runs; a macro because the note is placed
/// at compile time. Tests run the controller under the same rights and projections.
#pragma once

// Pods are many, so their projection names single fields; README.md says who reads which.
// clang-format off
#define DAVIT_REPLICASET_NOTE \
  R"({"name":"replicaset","version":"0.1.0","abi":"1.0",)" \
  R"("requires":["davit.object/1","davit.informer/1","davit.queue/1","davit.client/1","davit.event/1",)" \
  R"("davit.log/1","davit.clock/1","davit.metric/1","davit.config/1"],)" \
  R"("controllers":[{"name":"replicaset-controller","aliases":["replicaset"],"workers":5,)" \
  R"("clientName":"replicaset-controller",)" \
  R"("rules":[)" \
  R"({"group":"apps","resource":"replicasets","verbs":["get","list","watch"]},)" \
  R"({"group":"apps","resource":"replicasets","subresource":"status","verbs":["patch"]},)" \
  R"({"group":"apps","resource":"replicasets","subresource":"finalizers","verbs":["update"]},)" \
  R"({"group":"","resource":"pods","verbs":["list","watch","create","delete","patch"]},)" \
  R"({"group":"","resource":"events","verbs":["create","patch"]},)" \
  R"({"group":"events.k8s.io","resource":"events","verbs":["create","patch"]}],)" \
  R"("watches":[)" \
  R"({"group":"apps","version":"v1","resource":"replicasets","projection":[)" \
  R"("metadata.generation","metadata.deletionTimestamp","metadata.ownerReferences","spec","status"]},)" \
  R"({"group":"","version":"v1","resource":"pods","projection":[)" \
  R"("metadata.labels","metadata.creationTimestamp","metadata.deletionTimestamp",)" \
  R"("metadata.annotations['controller.kubernetes.io/pod-deletion-cost']","metadata.ownerReferences",)" \
  R"("spec.nodeName","spec.initContainers[].name","spec.initContainers[].restartPolicy",)" \
  R"("status.phase","status.conditions[].type","status.conditions[].status",)" \
  R"("status.conditions[].lastTransitionTime","status.containerStatuses[].restartCount",)" \
  R"("status.initContainerStatuses[].name","status.initContainerStatuses[].restartCount"]}]}]})"
// clang-format on
