// discovery v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kDiscoveryFields = R"(
Endpoint: 1 addresses[]:s!, 2 conditions:EndpointConditions!, 3 hostname:s?,
  4 targetRef:core.ObjectReference, 5 deprecatedTopology:{s}, 6 nodeName:s?, 7 zone:s?,
  8 hints:EndpointHints
EndpointConditions: 1 ready:b?, 2 serving:b?, 3 terminating:b?
EndpointHints: 1 forZones[]:ForZone, 2 forNodes[]:ForNode
EndpointPort: 1 name:s?, 2 protocol:s?, 3 port:i?, 4 appProtocol:s?
EndpointSlice: 1 metadata:meta.ObjectMeta, 2 endpoints[]:Endpoint!, 3 ports[]:EndpointPort!,
  4 addressType:s!
ForNode: 1 name:s!
ForZone: 1 name:s!
)";

}  // namespace

std::string_view discovery_fields() { return kDiscoveryFields; }

}  // namespace davit
