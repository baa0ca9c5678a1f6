/// "davit.client/1".
#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

// ---- davit.client/1

davit_code client_batch(davit_host* host, const davit_request* requests, std::size_t request_size,
                        davit_response* responses, std::size_t response_size, std::size_t count) {
  CallFrame* frame = enter(host, kSyncCall);
  if (frame == nullptr || !is_there(requests, count) || !is_there(responses, count) ||
      request_size < sizeof(std::uint32_t) || response_size < sizeof(std::uint32_t)) {
    return DAVIT_MISUSE;
  }
  std::vector<davit_request> in(count);
  std::vector<davit_response> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    in[i] = received<davit_request>(reinterpret_cast<const char*>(requests) + i * request_size,
                                    request_size);
  }
  host->controller->send(in, out, *frame);
  davit_code code = DAVIT_OK;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = std::min(response_size, sizeof(davit_response));
    out[i].size = static_cast<std::uint32_t>(size);
    std::memcpy(reinterpret_cast<char*>(responses) + i * response_size, &out[i], size);
    if (out[i].code != DAVIT_OK) code = out[i].code;
  }
  return code;
}

davit_code client_call(davit_host* host, const davit_request* request, davit_response* response) {
  if (request == nullptr || response == nullptr) return DAVIT_MISUSE;
  return client_batch(host, request, request->size, response, response->size, 1);
}

davit_code client_resource_exists(davit_host* host, davit_str group, davit_str version,
                                  davit_str resource) {
  CallFrame* frame = enter(host, kInitCall | kSyncCall);
  if (frame == nullptr) return DAVIT_MISUSE;
  const Result<ResourceInfo> found = host->controller->services().discovery.find(
      view(group), view(version), view(resource), frame->stop());
  return static_cast<davit_code>(found.error().code());
}

}  // namespace

constexpr davit_client_v1 kClientTable =
    table_of<davit_client_v1>(client_call, client_batch, client_resource_exists);

}  // namespace davit::host
