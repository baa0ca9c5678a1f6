/// The plugin's declarations, which the host reads before any of its code runs. A macro, because
/// the note is placed at compile time. Tests run the controllers under the same rights and
/// projections.
#pragma once

// Pods are many, so their projection names single fields; Endpoints and EndpointSlices are read
// whole because they are written whole. README.md says who reads which.
// clang-format off
#define DAVIT_ENDPOINT_NOTE \
  R"({"name":"endpoint","version":"0.1.0","abi":"1.0","requires":["davit.object/1",)" \
  R"("davit.informer/1","davit.queue/1","davit.client/1","davit.event/1","davit.log/1",)" \
  R"("davit.clock/1","davit.timer/1","davit.metric/1","davit.config/1"],"controllers":[{)" \
  R"("name":"endpoints-controller","aliases":["endpoint","endpoint-controller"],"workers":5,)" \
  R"("clientName":"endpoint-controller","rules":[)" \
  R"({"group":"","resource":"endpoints","verbs":["create","update","delete"]},)" \
  R"({"group":"","resource":"endpoints","subresource":"restricted","verbs":["create"]},)" \
  R"({"group":"","resource":"events","verbs":["create","patch"]},)" \
  R"({"group":"events.k8s.io","resource":"events","verbs":["create","patch"]}],"watches":[)" \
  R"({"group":"","version":"v1","resource":"services","projection":[)" \
  R"("metadata.labels","metadata.creationTimestamp","spec.type","spec.selector",)" \
  R"("spec.clusterIP","spec.ipFamilies","spec.publishNotReadyAddresses","spec.ports"]},)" \
  R"({"group":"","version":"v1","resource":"endpoints"},)" \
  R"({"group":"","version":"v1","resource":"pods","projection":[)" \
  R"("metadata.labels","metadata.deletionTimestamp","spec.nodeName","spec.hostname",)" \
  R"("spec.subdomain","spec.containers[].ports","spec.initContainers[].restartPolicy",)" \
  R"("spec.initContainers[].ports","status.phase","status.podIP","status.podIPs",)" \
  R"("status.conditions[].type","status.conditions[].status",)" \
  R"("status.conditions[].lastTransitionTime"]}]},{)" \
  R"("name":"endpointslice-controller","aliases":["endpointslice"],"workers":5,)" \
  R"("clientName":"endpoint-slice-controller","rules":[)" \
  R"({"group":"","resource":"services","subresource":"finalizers","verbs":["update"]},)" \
  R"({"group":"discovery.k8s.io","resource":"endpointslices",)" \
  R"("verbs":["create","update","delete"]},)" \
  R"({"group":"discovery.k8s.io","resource":"endpointslices","subresource":"restricted",)" \
  R"("verbs":["create"]},)" \
  R"({"group":"","resource":"events","verbs":["create","patch"]},)" \
  R"({"group":"events.k8s.io","resource":"events","verbs":["create","patch"]}],"watches":[)" \
  R"({"group":"","version":"v1","resource":"services","projection":[)" \
  R"("metadata.labels","metadata.creationTimestamp","metadata.deletionTimestamp",)" \
  R"("metadata.annotations['service.kubernetes.io/topology-mode']",)" \
  R"("metadata.annotations['service.kubernetes.io/topology-aware-hints']",)" \
  R"("spec.type","spec.selector","spec.clusterIP","spec.ipFamilies",)" \
  R"("spec.publishNotReadyAddresses","spec.trafficDistribution","spec.ports"]},)" \
  R"({"group":"","version":"v1","resource":"nodes","projection":[)" \
  R"("metadata.labels","status.conditions[].type","status.conditions[].status",)" \
  R"("status.allocatable"]},)" \
  R"({"group":"discovery.k8s.io","version":"v1","resource":"endpointslices"},)" \
  R"({"group":"","version":"v1","resource":"pods","projection":[)" \
  R"("metadata.labels","metadata.deletionTimestamp","spec.nodeName","spec.hostname",)" \
  R"("spec.subdomain","spec.containers[].ports","spec.initContainers[].restartPolicy",)" \
  R"("spec.initContainers[].ports","status.phase","status.podIP","status.podIPs",)" \
  R"("status.conditions[].type","status.conditions[].status",)" \
  R"("status.conditions[].lastTransitionTime"]}]}]})"
// clang-format on
