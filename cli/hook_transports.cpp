#include "cli/hook_transports.hpp"

#include "host/config/connection_config.hpp"

namespace davit::host {

Result<std::shared_ptr<Transport>> HookTransports::connect(const sandbox::HookServer& server) {
  servers_.close_idle();
  ConnectionConfig config;
  config.server = server.url;
  config.tls_server_name = server.server_name;
  config.ca_data = server.roots;
  return servers_.connect(config, "webhooks");
}

}  // namespace davit::host
