// scheduling v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kSchedulingFields = R"(
PriorityClass: 1 metadata:meta.ObjectMeta, 2 value:i!, 3 globalDefault:b, 4 description:s,
  5 preemptionPolicy:s?
)";

}  // namespace

std::string_view scheduling_fields() { return kSchedulingFields; }

}  // namespace davit
