#include "host/plugin/host_abi.hpp"

#include <array>

#include "host/plugin/host_tables.hpp"

namespace davit::host {

const void* host_capability(std::string_view id) {
  struct Row {
    std::string_view id;
    const void* table;
  };
  const std::array<Row, 14> rows = {{{"davit.object/1", &object_table()},
                                     {"davit.informer/1", &kInformerTable},
                                     {"davit.queue/1", &kQueueTable},
                                     {"davit.client/1", &kClientTable},
                                     {"davit.timer/1", &kTimerTable},
                                     {"davit.event/1", &kEventTable},
                                     {"davit.log/1", &kLogTable},
                                     {"davit.clock/1", &kClockTable},
                                     {"davit.random/1", &kRandomTable},
                                     {"davit.metric/1", &kMetricTable},
                                     {"davit.config/1", &kConfigTable},
                                     {"davit.freshness/1", &kFreshnessTable},
                                     {"davit.discovery/1", &kDiscoveryTable},
                                     {"davit.informer/2", &kDynamicInformerTable}}};
  for (const Row& row : rows) {
    if (row.id == id) return row.table;
  }
  return nullptr;
}

}  // namespace davit::host
