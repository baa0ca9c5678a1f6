/// Connections of `davit sandbox` to the servers of webhooks.
#pragma once

#include <memory>
#include <utility>

#include "cli/server_transports.hpp"
#include "sandbox/webhook/hook_connector.hpp"

namespace davit::host {

/// ServerTransports for webhooks. Thread-safe. `clock` must outlive it.
class HookTransports final : public sandbox::HookConnector {
 public:
  HookTransports(Clock& clock, Logger log) : servers_(clock, std::move(log)) {}

  /// Closes idle connections to all servers of webhooks every few seconds.
  [[nodiscard]] Result<std::shared_ptr<Transport>> connect(
      const sandbox::HookServer& server) override;

 private:
  ServerTransports servers_;
};

}  // namespace davit::host
