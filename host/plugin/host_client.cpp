/// "davit.client/1".
#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

// ---- davit.client/1

/// Writes `response` where the caller has its `index`-th one, as much of it as the caller knows.
void put(davit_response response, davit_response* responses, std::size_t response_size,
         std::size_t index) {
  const std::size_t size = std::min(response_size, sizeof(davit_response));
  response.size = static_cast<std::uint32_t>(size);
  std::memcpy(reinterpret_cast<char*>(responses) + index * response_size, &response, size);
}

davit_code client_batch(CallFrame& frame, const davit_request* requests, std::size_t request_size,
                        davit_response* responses, std::size_t response_size, std::size_t count) {
  if (!is_there(requests, count) || !is_there(responses, count) ||
      request_size < sizeof(std::uint32_t) || response_size < sizeof(std::uint32_t)) {
    return DAVIT_MISUSE;
  }
  // Should memory run out half-way: a write may or may not have been applied.
  davit_response unknown{};
  unknown.code = DAVIT_UNAVAILABLE;
  for (std::size_t i = 0; i < count; ++i) put(unknown, responses, response_size, i);
  std::vector<davit_request> in(count);
  std::vector<davit_response> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    in[i] = received<davit_request>(reinterpret_cast<const char*>(requests) + i * request_size,
                                    request_size);
  }
  frame.controller().requests.send(in, out, frame);
  davit_code code = DAVIT_OK;
  for (std::size_t i = 0; i < count; ++i) {
    put(out[i], responses, response_size, i);
    if (out[i].code != DAVIT_OK) code = out[i].code;
  }
  return code;
}

davit_code client_call(CallFrame& frame, const davit_request* request, davit_response* response) {
  if (request == nullptr || response == nullptr) return DAVIT_MISUSE;
  return client_batch(frame, request, request->size, response, response->size, 1);
}

davit_code client_resource_exists(CallFrame& frame, davit_str group, davit_str version,
                                  davit_str resource) {
  const Result<ResourceInfo> found = frame.controller().services.discovery.find(
      view(group), view(version), view(resource), frame.stop());
  return found ? DAVIT_OK : frame.fail(found.error());
}

}  // namespace

constexpr davit_client_v1 kClientTable =
    table_of<davit_client_v1>(host_function<client_call, kSyncCall, DAVIT_UNAVAILABLE>,
                              host_function<client_batch, kSyncCall, DAVIT_UNAVAILABLE>,
                              host_function<client_resource_exists, kInitCall | kSyncCall>);

}  // namespace davit::host
