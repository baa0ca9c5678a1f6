/// Connections of `davit sandbox` to the servers of aggregated APIs.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "host/api/rest_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
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

/// One transport over sockets for each server and its certificates. Thread-safe. `clock` must
/// outlive it.
class BackendTransports final : public sandbox::BackendConnector {
 public:
  BackendTransports(Clock& clock, Logger log) : clock_(clock), log_(std::move(log)) {}

  [[nodiscard]] Result<Transport*> connect(const sandbox::BackendServer& server) override
      EXCLUDES(mutex_);

 private:
  /// Tests make new certificates at each start, and few sandboxes live for hundreds of them.
  static constexpr std::size_t kServersMax = 512;
  using Key = std::tuple<std::string, std::string, std::string, sandbox::BackendServer::Verify>;

  Clock& clock_;
  const Logger log_;
  NoRestMetrics metrics_;
  Mutex mutex_;
  std::map<Key, std::unique_ptr<Transport>> transports_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
