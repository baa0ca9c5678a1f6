#include "cli/backend_transports.hpp"

#include <utility>

#include "host/config/connection_config.hpp"

namespace davit::host {

Result<FrontProxyIdentity> make_front_proxy_identity(WallTime now) {
  const Result<KeyPair> authority = make_authority("davit-front-proxy-ca", now);
  if (!authority) return authority.error();
  Result<KeyPair> own = issue_certificate(*authority, {.common_name = "front-proxy-client"}, now);
  if (!own) return own.error();
  return FrontProxyIdentity{authority->certificate,
                            std::make_shared<const ClientCertificate>(ClientCertificate{
                                std::move(own->certificate), std::move(own->key), 1})};
}

Result<std::shared_ptr<Transport>> BackendTransports::connect(
    const sandbox::BackendServer& server) {
  ConnectionConfig config;
  config.server = server.url;
  config.tls_server_name = server.server_name;
  config.insecure = server.verify == sandbox::BackendServer::Verify::kNo;
  config.ca_data = server.roots;
  return servers_.connect(config, "aggregated APIs");
}

}  // namespace davit::host
