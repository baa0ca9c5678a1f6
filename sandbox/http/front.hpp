/// The sandbox behind a socket: a Handler over HTTP/1.1, plain or with TLS.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <string>

#include "host/http/http_server.hpp"
#include "lib/base/log.hpp"
#include "sandbox/rest/http_message.hpp"

namespace davit::sandbox {

struct FrontOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: any free one.
  /// Without, plain HTTP.
  std::optional<host::TlsIdentity> tls = std::nullopt;
};

/// Serves `handler` on a thread of its own until it is destroyed; streams are pulled there, too,
/// so that a watch costs a connection and no thread. `handler` must outlive it. kUnavailable when
/// the address cannot be had.
[[nodiscard]] Result<std::unique_ptr<host::HttpServer>> open_front(const FrontOptions& options,
                                                                   Handler& handler, host::Log log);

}  // namespace davit::sandbox
