#include "host/api/connect.hpp"

#include <utility>

#include "host/credentials/credentials.hpp"
#include "host/transport/curl_transport.hpp"

namespace davit::host {

Result<std::unique_ptr<Transport>> connect(const ConnectionConfig& config, Clock& clock,
                                           RestMetrics& metrics, Logger log, SocketSource sockets) {
  Result<HttpHeaders> impersonation = impersonation_headers(config.impersonate);
  if (!impersonation) return impersonation.error();
  Result<std::unique_ptr<Credentials>> credentials = make_credentials(config, clock, metrics, log);
  if (!credentials) return credentials.error();
  Result<std::unique_ptr<Transport>> transport =
      make_curl_transport(config, clock, metrics, log, std::move(sockets));
  if (!transport) return transport.error();
  metrics.transport_used(RestMetrics::TransportUse::kMade);
  return add_credentials(*std::move(transport), *std::move(credentials), *std::move(impersonation));
}

Result<std::unique_ptr<Transport>> connect_anonymously(const ConnectionConfig& config, Clock& clock,
                                                       RestMetrics& metrics, Logger log) {
  // Copies field by field, so that a new kind of credentials does not get here by accident.
  ConnectionConfig anonymous;
  anonymous.server = config.server;
  anonymous.tls_server_name = config.tls_server_name;
  anonymous.insecure = config.insecure;
  anonymous.ca_data = config.ca_data;
  anonymous.ca_file = config.ca_file;
  anonymous.proxy_url = config.proxy_url;
  anonymous.disable_compression = config.disable_compression;
  anonymous.failure_backoff = config.failure_backoff;
  anonymous.files = config.files;
  anonymous.ns = config.ns;
  return connect(anonymous, clock, metrics, std::move(log));
}

}  // namespace davit::host
