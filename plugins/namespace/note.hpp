/// The plugin's declarations, which the host reads before any of its code runs. A macro, because
/// the note is placed at compile time. Tests run the controller under the same rights.
#pragma once

// Namespaces are read whole: they are few, and the host refuses a PUT of what is read in part.
// clang-format off
#define DAVIT_NAMESPACE_NOTE \
  R"({"name":"namespace","version":"0.1.0","abi":"1.0","requires":["davit.object/1",)" \
  R"("davit.informer/1","davit.queue/1","davit.client/1","davit.log/1","davit.clock/1",)" \
  R"("davit.timer/1","davit.config/1","davit.discovery/1"],"controllers":[{)" \
  R"("name":"namespace-controller","aliases":["namespace"],"workers":10,)" \
  R"("clientName":"namespace-controller","rules":[)" \
  R"({"group":"","resource":"namespaces","subresource":"status","verbs":["update"]},)" \
  R"({"group":"","resource":"namespaces","subresource":"finalize","verbs":["update"]},)" \
  R"({"group":"*","resource":"*","verbs":["get","list","delete","deletecollection"]}],)" \
  R"("watches":[{"group":"","version":"v1","resource":"namespaces"}]}]})"
// clang-format on
