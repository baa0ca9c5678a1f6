/// Connections of `davit sandbox` to the servers of aggregated APIs.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "cli/server_transports.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/net/certificates.hpp"
#include "sandbox/aggregation/backend_connector.hpp"

namespace davit::host {

/// The authority of the front proxy, and the certificate that the sandbox presents to the servers
/// of aggregated APIs. New at each start, and in memory only.
struct FrontProxyIdentity {
  std::string authority;  ///< PEM.
  std::shared_ptr<const ClientCertificate> certificate;
};
[[nodiscard]] Result<FrontProxyIdentity> make_front_proxy_identity(WallTime now);

/// ServerTransports for aggregated APIs. Thread-safe. `clock` must outlive it.
class BackendTransports final : public sandbox::BackendConnector {
 public:
  BackendTransports(Clock& clock, Logger log) : clock_(clock), servers_(clock, std::move(log)) {}

  [[nodiscard]] Result<std::shared_ptr<Transport>> connect(
      const sandbox::BackendServer& server) override;
  [[nodiscard]] Result<std::unique_ptr<ByteConnection>> open(
      const sandbox::BackendServer& server,
      const std::shared_ptr<const ClientCertificate>& certificate, std::string first) override;

 private:
  Clock& clock_;
  ServerTransports servers_;
};

}  // namespace davit::host
