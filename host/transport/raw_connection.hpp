/// Connections that carry other protocols than HTTP.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>

#include "host/config/connection_config.hpp"
#include "lib/base/clock.hpp"
#include "lib/net/byte_connection.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// Connects to the server of `config` in the background, on a thread of the connection's own, and
/// sends `first`. Address, roots, server name and proxy are those of `config`. Presents
/// `certificate` unless it is null. `clock` must outlive the result. kUnavailable if no thread can
/// be started.
[[nodiscard]] Result<std::unique_ptr<ByteConnection>> open_raw_connection(
    const ConnectionConfig& config, const std::shared_ptr<const ClientCertificate>& certificate,
    std::string first, Clock& clock);

}  // namespace davit::host
