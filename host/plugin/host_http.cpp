/// "davit.http/1".
#include "host/plugin/batch_abi.hpp"
#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

// ---- davit.http/1

davit_code http_batch(CallFrame& frame, const davit_http_request* requests,
                      std::size_t request_size, davit_http_response* responses,
                      std::size_t response_size, std::size_t count) {
  return answer_batch(requests, request_size, responses, response_size, count,
                      [&](auto& in, auto& out) { frame.controller().http.send(in, out, frame); });
}

davit_code http_call(CallFrame& frame, const davit_http_request* request,
                     davit_http_response* response) {
  if (request == nullptr || response == nullptr) return DAVIT_MISUSE;
  return http_batch(frame, request, request->size, response, response->size, 1);
}

}  // namespace

const void* host_table(Capability<davit_http_v1>) {
  static constexpr davit_http_v1 kTable =
      table_of<davit_http_v1>(host_function<http_call, kSyncCall, DAVIT_UNAVAILABLE>,
                              host_function<http_batch, kSyncCall, DAVIT_UNAVAILABLE>);
  return &kTable;
}

}  // namespace davit::host
