// coordination v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kCoordinationFields = R"(
Lease: 1 metadata:meta.ObjectMeta, 2 spec:LeaseSpec!
LeaseSpec: 1 holderIdentity:s?, 2 leaseDurationSeconds:i?, 3 acquireTime:MicroTime,
  4 renewTime:MicroTime, 5 leaseTransitions:i?, 6 strategy:s?, 7 preferredHolder:s?
)";

}  // namespace

std::string_view coordination_fields() { return kCoordinationFields; }

}  // namespace davit
