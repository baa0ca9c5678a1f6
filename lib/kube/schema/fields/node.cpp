// node v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kNodeFields = R"(
Overhead: 1 podFixed:{Quantity}
RuntimeClass: 1 metadata:meta.ObjectMeta, 2 handler:s!, 3 overhead:Overhead, 4 scheduling:Scheduling
Scheduling: 1 nodeSelector:{s}, 2 tolerations[]:core.Toleration
)";

}  // namespace

std::string_view node_fields() { return kNodeFields; }

}  // namespace davit
