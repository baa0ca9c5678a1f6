#include "cli/backend_transports.hpp"

#include <utility>

#include "host/api/curl_transport.hpp"
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

Result<Transport*> BackendTransports::connect(const sandbox::BackendServer& server) {
  const Key key(server.url, server.server_name, server.roots, server.verify);
  MutexLock lock(mutex_);
  const auto found = transports_.find(key);
  if (found != transports_.end()) return found->second.get();
  if (transports_.size() >= kServersMax) {
    return Status(Code::kUnavailable, "too many servers of aggregated APIs");
  }
  ConnectionConfig config;
  config.server = server.url;
  config.tls_server_name = server.server_name;
  config.insecure = server.verify == sandbox::BackendServer::Verify::kNo;
  config.ca_data = server.roots;
  Result<std::unique_ptr<Transport>> made = make_curl_transport(config, clock_, metrics_, log_);
  if (!made) return made.error();
  return transports_.emplace(key, std::move(*made)).first->second.get();
}

}  // namespace davit::host
