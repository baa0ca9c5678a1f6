/// The plugin's declarations, which the host reads before any of its code runs. A macro, because
/// the note is placed at compile time. Tests run the controller under the same rights.
#pragma once

// It watches what the server offers, whatever that is.
// clang-format off
#define DAVIT_GARBAGECOLLECTOR_NOTE \
  R"({"name":"garbagecollector","version":"0.1.0","abi":"1.0","requires":["davit.object/1",)" \
  R"("davit.informer/2","davit.queue/1","davit.client/1","davit.event/1","davit.log/1",)" \
  R"("davit.clock/1","davit.timer/1","davit.metric/1","davit.config/1","davit.discovery/1"],)" \
  R"("controllers":[{)" \
  R"("name":"garbage-collector-controller","aliases":["garbagecollector"],"workers":20,)" \
  R"("clientName":"generic-garbage-collector","rules":[)" \
  R"({"group":"","resource":"events","verbs":["create","patch"]},)" \
  R"({"group":"events.k8s.io","resource":"events","verbs":["create","patch"]},)" \
  R"({"group":"*","resource":"*","verbs":["get","list","watch","patch","delete"]}]}]})"
// clang-format on
