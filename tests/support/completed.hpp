/// Responses that a route defers, as tests want them.
#pragma once

#include <optional>
#include <thread>
#include <utility>

#include "host/http/http_server.hpp"

namespace davit::test {

/// The response once there is one. Stays awake meanwhile: a clock that goes on when all threads
/// sleep must not.
inline host::HttpServerResponse completed(host::HttpServerResponse response) {
  while (response.deferred) {
    std::optional<host::HttpServerResponse> known = response.deferred->take();
    if (known) return std::move(*known);
    std::this_thread::yield();
  }
  return response;
}

}  // namespace davit::test
