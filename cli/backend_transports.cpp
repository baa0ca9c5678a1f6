#include "cli/backend_transports.hpp"

#include <utility>

#include "host/config/connection_config.hpp"
#include "host/transport/raw_connection.hpp"

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

namespace {

ConnectionConfig config_of(const sandbox::BackendServer& server) {
  ConnectionConfig config;
  config.server = server.url;
  config.tls_server_name = server.server_name;
  config.insecure = server.verify == sandbox::BackendServer::Verify::kNo;
  if (!config.insecure) config.ca_data = server.roots;  // Both contradict each other.
  return config;
}

}  // namespace

Result<std::shared_ptr<Transport>> BackendTransports::connect(
    const sandbox::BackendServer& server) {
  return servers_.connect(config_of(server), "aggregated APIs");
}

Result<std::unique_ptr<ByteConnection>> BackendTransports::open(
    const sandbox::BackendServer& server,
    const std::shared_ptr<const ClientCertificate>& certificate, std::string first) {
  return open_raw_connection(config_of(server), certificate, std::move(first), clock_);
}

}  // namespace davit::host
