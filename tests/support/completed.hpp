/// Responses that a route defers, as tests want them.
#pragma once

#include <optional>
#include <thread>
#include <utility>

#include "lib/net/http_server.hpp"

namespace davit::test {

/// The response once there is one. Stays awake meanwhile: a clock that continues when all threads
/// sleep must not.
inline HttpServerResponse completed(HttpServerResponse response) {
  while (response.deferred) {
    std::optional<HttpServerResponse> known = response.deferred->take();
    if (known) return std::move(*known);
    std::this_thread::yield();
  }
  return response;
}

}  // namespace davit::test
