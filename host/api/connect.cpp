#include "host/api/connect.hpp"

#include <utility>

#include "host/api/credentials.hpp"
#include "host/api/curl_transport.hpp"

namespace davit::host {

Result<std::unique_ptr<Transport>> connect(const ConnectionConfig& config, Clock& clock,
                                           RestMetrics& metrics, Logger log) {
  Result<HttpHeaders> impersonation = impersonation_headers(config.impersonate);
  if (!impersonation) return impersonation.error();
  Result<std::unique_ptr<Credentials>> credentials = make_credentials(config, clock, metrics, log);
  if (!credentials) return credentials.error();
  Result<std::unique_ptr<Transport>> transport = make_curl_transport(config, clock, metrics, log);
  if (!transport) return transport.error();
  return add_credentials(*std::move(transport), *std::move(credentials), *std::move(impersonation));
}

}  // namespace davit::host
