// events v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kEventsFields = R"(
Event: 1 metadata:meta.ObjectMeta, 2 eventTime:MicroTime!, 3 series:EventSeries,
  4 reportingController:s, 5 reportingInstance:s, 6 action:s, 7 reason:s,
  8 regarding:core.ObjectReference!, 9 related:core.ObjectReference, 10 note:s, 11 type:s,
  12 deprecatedSource:core.EventSource!, 13 deprecatedFirstTimestamp:Time!,
  14 deprecatedLastTimestamp:Time!, 15 deprecatedCount:i
EventSeries: 1 count:i!, 2 lastObservedTime:MicroTime!
)";

}  // namespace

std::string_view events_fields() { return kEventsFields; }

}  // namespace davit
