/// Connects to the server of a configuration.
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

/// The transport to one real server, credentials included: what the program uses. Every reference
/// must outlive it. Fails on a configuration that cannot work: a missing CA file, a certificate
/// without its key. `sockets`: see make_curl_transport().
[[nodiscard]] Result<std::unique_ptr<Transport>> connect(const ConnectionConfig& config,
                                                         Clock& clock, RestMetrics& metrics,
                                                         Logger log, SocketSource sockets = {});

/// The same without any identity: no token, password, client certificate, exec plugin or
/// impersonation. For requests that bring their own credentials (rest.AnonymousClientConfig).
[[nodiscard]] Result<std::unique_ptr<Transport>> connect_anonymously(const ConnectionConfig& config,
                                                                     Clock& clock,
                                                                     RestMetrics& metrics,
                                                                     Logger log);

}  // namespace davit::host
