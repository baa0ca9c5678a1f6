/// The batch functions of all tables: several requests, one response each.
#pragma once

#include <davit/abi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "host/plugin/host_tables.hpp"

namespace davit::host {

/// Reads `count` requests of `request_size` bytes each, has `send(requests, responses)` fill the
/// responses, and writes as much of each as the caller knows. Returns DAVIT_OK when every response
/// has it, else one of the failures.
template <typename Request, typename Response, typename Send>
[[nodiscard]] davit_code answer_batch(const Request* requests, std::size_t request_size,
                                      Response* responses, std::size_t response_size,
                                      std::size_t count, const Send& send) {
  if (!is_there(requests, count) || !is_there(responses, count) ||
      request_size < sizeof(std::uint32_t) || response_size < sizeof(std::uint32_t)) {
    return DAVIT_MISUSE;
  }
  const auto put = [&](Response response, std::size_t index) {
    const std::size_t size = std::min(response_size, sizeof(Response));
    response.size = static_cast<std::uint32_t>(size);
    std::memcpy(reinterpret_cast<char*>(responses) + index * response_size, &response, size);
  };
  // Should memory run out half-way: a write may or may not have been applied.
  Response unknown{};
  unknown.code = DAVIT_UNAVAILABLE;
  for (std::size_t i = 0; i < count; ++i) put(unknown, i);
  std::vector<Request> in(count);
  std::vector<Response> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    in[i] =
        received<Request>(reinterpret_cast<const char*>(requests) + i * request_size, request_size);
  }
  send(in, out);
  davit_code code = DAVIT_OK;
  for (std::size_t i = 0; i < count; ++i) {
    put(out[i], i);
    if (out[i].code != DAVIT_OK) code = out[i].code;
  }
  return code;
}

}  // namespace davit::host
