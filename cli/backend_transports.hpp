/// Connections of `davit sandbox` to the servers of aggregated APIs.
#pragma once

#include <cstddef>
#include <cstdint>
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

  /// Forgets the server that was used longest ago where there are too many.
  [[nodiscard]] Result<std::shared_ptr<Transport>> connect(
      const sandbox::BackendServer& server) override EXCLUDES(mutex_);

 private:
  /// Few sandboxes have so many aggregated APIs at once. Tests make new certificates at each start,
  /// and the old ones are not used again.
  static constexpr std::size_t kServersMax = 64;
  using Key = std::tuple<std::string, std::string, std::string, sandbox::BackendServer::Verify>;
  struct Server {
    std::shared_ptr<Transport> transport;
    std::uint64_t used = 0;  ///< The number of its last use.
  };

  /// Null: all servers are being called.
  [[nodiscard]] std::shared_ptr<Transport> forget_oldest() REQUIRES(mutex_);

  Clock& clock_;
  const Logger log_;
  NoRestMetrics metrics_;
  Mutex mutex_;
  std::uint64_t uses_ GUARDED_BY(mutex_) = 0;
  std::map<Key, Server> servers_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
