/// The plugin's declarations, which the host reads before any of its code runs. A macro, because
/// the note is placed at compile time. Tests run the controllers under the same rights and
/// projections.
#pragma once

// Pods are many, so their projection names single fields; README.md says who reads which.
// clang-format off
#define DAVIT_NODELIFECYCLE_NOTE \
  R"({"name":"nodelifecycle","version":"0.1.0","abi":"1.0","requires":["davit.object/1",)" \
  R"("davit.informer/1","davit.queue/1","davit.client/1","davit.event/1","davit.log/1",)" \
  R"("davit.clock/1","davit.timer/1","davit.metric/1","davit.config/1"],"controllers":[{)" \
  R"("name":"node-lifecycle-controller","aliases":["nodelifecycle"],"workers":8,)" \
  R"("clientName":"node-controller","rules":[)" \
  R"({"group":"","resource":"nodes","verbs":["get","patch"]},)" \
  R"({"group":"","resource":"nodes","subresource":"status","verbs":["patch"]},)" \
  R"({"group":"","resource":"pods","verbs":["get","delete"]},)" \
  R"({"group":"","resource":"pods","subresource":"status","verbs":["patch"]},)" \
  R"({"group":"","resource":"events","verbs":["create","patch"]},)" \
  R"({"group":"events.k8s.io","resource":"events","verbs":["create","patch"]}],"watches":[)" \
  R"({"group":"","version":"v1","resource":"nodes","projection":[)" \
  R"("metadata.creationTimestamp","metadata.labels","spec.unschedulable","spec.taints",)" \
  R"("status.conditions"]},)" \
  R"({"group":"","version":"v1","resource":"pods","projection":[)" \
  R"("metadata.deletionTimestamp","spec.nodeName","status.conditions[].type",)" \
  R"("status.conditions[].status","status.reason"]},)" \
  R"({"group":"coordination.k8s.io","version":"v1","resource":"leases",)" \
  R"("fieldSelector":"metadata.namespace=kube-node-lease","projection":[)" \
  R"("spec.renewTime"]}]},{)" \
  R"("name":"taint-eviction-controller","workers":8,)" \
  R"("clientName":"taint-eviction-controller","rules":[)" \
  R"({"group":"","resource":"pods","verbs":["get","delete"]},)" \
  R"({"group":"","resource":"pods","subresource":"status","verbs":["patch"]},)" \
  R"({"group":"","resource":"events","verbs":["create","patch"]},)" \
  R"({"group":"events.k8s.io","resource":"events","verbs":["create","patch"]}],"watches":[)" \
  R"({"group":"","version":"v1","resource":"nodes","projection":["spec.taints"]},)" \
  R"({"group":"","version":"v1","resource":"pods","projection":[)" \
  R"("spec.nodeName","spec.tolerations"]}]}]})"
// clang-format on
