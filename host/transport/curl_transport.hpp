/// The Transport over libcurl.
#pragma once

#include <davit/result.hpp>
#include <memory>

#include "host/config/connection_config.hpp"
#include "host/transport/socket_source.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

class RestMetrics;

/// Connections as `config` says, without its tokens, passwords, impersonation and plugin: those are
/// the business of connect(). Client certificates are presented. Every reference must outlive the
/// result. With `sockets`, no name is resolved and no connection made here; kUnsupported then with
/// a proxy.
[[nodiscard]] Result<std::unique_ptr<Transport>> make_curl_transport(const ConnectionConfig& config,
                                                                     Clock& clock,
                                                                     RestMetrics& metrics,
                                                                     Logger log,
                                                                     SocketSource sockets = {});

}  // namespace davit::host
