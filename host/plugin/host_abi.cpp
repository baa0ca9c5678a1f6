#include "host/plugin/host_abi.hpp"

#include <array>

#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

const void* context_capability(CallFrame&, davit_str id) { return host_capability(view(id)); }

void context_error_text(CallFrame& frame, davit_str text) { frame.set_error(view(text)); }

davit_code context_last_error(CallFrame& frame, davit_error* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  put(frame.last_error(), out);
  return DAVIT_OK;
}

}  // namespace

void refuse_phase(CallFrame& frame) {
  const Status why(Code::kMisuse, "a call from a thread or phase in which abi.h does not allow it");
  frame.controller().observe_refusal(why.message());
  frame.keep_failure(why);
  frame.note_failure(DAVIT_MISUSE);
}

const void* host_capability(std::string_view id) {
  struct Row {
    std::string_view id;
    const void* table;
  };
  const std::array<Row, 16> rows = {{{"davit.object/1", &object_table()},
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
                                     {"davit.informer/2", &kDynamicInformerTable},
                                     {"davit.waker/1", &kWakerTable},
                                     {"davit.http/1", &kHttpTable}}};
  for (const Row& row : rows) {
    if (row.id == id) return row.table;
  }
  return nullptr;
}

davit_context make_context(std::string_view controller) {
  return {.size = sizeof(davit_context),
          .abi_major = DAVIT_ABI_MAJOR,
          .abi_minor = DAVIT_ABI_MINOR,
          .controller = lend_view(controller),
          .capability = host_function<context_capability, kAnyCall>,
          .error_text = host_function<context_error_text, kAnyCall>,
          .last_error = host_function<context_last_error, kAnyCall>};
}

}  // namespace davit::host
