#include "cli/hook_transports.hpp"

#include <utility>

#include "host/api/curl_transport.hpp"
#include "host/config/connection_config.hpp"

namespace davit::host {

Result<Transport*> HookTransports::connect(const sandbox::HookServer& server) {
  const Key key(server.url, server.server_name, server.roots);
  MutexLock lock(mutex_);
  const auto found = transports_.find(key);
  if (found != transports_.end()) return found->second.get();
  if (transports_.size() >= kServersMax) {
    return Status(Code::kUnavailable, "too many servers of webhooks");
  }
  ConnectionConfig config;
  config.server = server.url;
  config.tls_server_name = server.server_name;
  config.ca_data = server.roots;
  Result<std::unique_ptr<Transport>> made = make_curl_transport(config, clock_, metrics_, log_);
  if (!made) return made.error();
  return transports_.emplace(key, std::move(*made)).first->second.get();
}

}  // namespace davit::host
