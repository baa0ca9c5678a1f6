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

Result<std::shared_ptr<Transport>> BackendTransports::connect(
    const sandbox::BackendServer& server) {
  const Key key(server.url, server.server_name, server.roots, server.verify);
  std::shared_ptr<Transport> forgotten;  // Ends outside the lock.
  MutexLock lock(mutex_);
  if (const auto found = servers_.find(key); found != servers_.end()) {
    found->second.used = ++uses_;
    return found->second.transport;
  }
  if (servers_.size() >= kServersMax) {
    forgotten = forget_oldest();
    if (forgotten == nullptr) {
      return Status(Code::kUnavailable, "too many servers of aggregated APIs are being called");
    }
  }
  ConnectionConfig config;
  config.server = server.url;
  config.tls_server_name = server.server_name;
  config.insecure = server.verify == sandbox::BackendServer::Verify::kNo;
  config.ca_data = server.roots;
  Result<std::unique_ptr<Transport>> made = make_curl_transport(config, clock_, metrics_, log_);
  if (!made) return made.error();
  std::shared_ptr<Transport> transport = std::move(*made);
  servers_.emplace(key, Server{transport, ++uses_});
  return transport;
}

std::shared_ptr<Transport> BackendTransports::forget_oldest() {
  auto oldest = servers_.end();
  for (auto each = servers_.begin(); each != servers_.end(); ++each) {
    const bool is_called = each->second.transport.use_count() > 1;
    if (is_called || (oldest != servers_.end() && oldest->second.used < each->second.used)) {
      continue;
    }
    oldest = each;
  }
  if (oldest == servers_.end()) return nullptr;
  std::shared_ptr<Transport> out = std::move(oldest->second.transport);
  servers_.erase(oldest);
  return out;
}

}  // namespace davit::host
