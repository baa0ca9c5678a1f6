/// "davit.client/1".
#include "host/plugin/batch_abi.hpp"
#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

// ---- davit.client/1

davit_code client_batch(CallFrame& frame, const davit_request* requests, std::size_t request_size,
                        davit_response* responses, std::size_t response_size, std::size_t count) {
  return answer_batch(
      requests, request_size, responses, response_size, count,
      [&](auto& in, auto& out) { frame.controller().requests.batch(in, out, frame); });
}

davit_code client_call(CallFrame& frame, const davit_request* request, davit_response* response) {
  if (request == nullptr || response == nullptr) return DAVIT_MISUSE;
  return answer_batch(request, request->size, response, response->size, 1,
                      [&](auto& in, auto& out) {
                        frame.controller().requests.call(in.front(), out.front(), frame);
                      });
}

davit_code client_fan_out(CallFrame& frame, const davit_fan_out* fan_out) {
  if (fan_out == nullptr) return DAVIT_MISUSE;
  const davit_fan_out asked = received(fan_out);
  if (asked.next == nullptr || asked.done == nullptr) return DAVIT_MISUSE;
  return frame.controller().requests.fan_out(asked, frame);
}

davit_code client_resource_exists(CallFrame& frame, davit_str group, davit_str version,
                                  davit_str resource) {
  const Result<ResourceInfo> found = frame.controller().services.discovery.find(
      view(group), view(version), view(resource), frame.stop());
  return found ? DAVIT_OK : frame.fail(found.error());
}

}  // namespace

const void* host_table(Capability<davit_client_v1>) {
  static constexpr davit_client_v1 kTable =
      table_of<davit_client_v1>(host_function<client_call, kSyncCall, DAVIT_UNAVAILABLE>,
                                host_function<client_batch, kSyncCall, DAVIT_UNAVAILABLE>,
                                host_function<client_resource_exists, kInitCall | kSyncCall>,
                                host_function<client_fan_out, kSyncCall, DAVIT_UNAVAILABLE>);
  return &kTable;
}

}  // namespace davit::host
