/// The sandbox behind a socket: an HttpHandler over HTTP/1.1, plain or with TLS.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <string>

#include "lib/base/log.hpp"
#include "lib/net/http_message.hpp"
#include "lib/net/http_server.hpp"

namespace davit::sandbox {

struct FrontOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: any free one.
  /// Without, plain HTTP.
  std::optional<TlsIdentity> tls = std::nullopt;
};

/// Serves `handler` on a separate thread until it is destroyed. That thread also pulls streams, so
/// a watch costs a connection but no thread. `handler` must outlive it. kUnavailable if the address
/// cannot be bound.
[[nodiscard]] Result<std::unique_ptr<HttpServer>> open_front(const FrontOptions& options,
                                                             HttpHandler& handler, Logger log);

}  // namespace davit::sandbox
