/// The clients of a host: how their requests reach the API server, as whom, and within which
/// limits.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/api/rest_client.hpp"
#include "host/api/service_accounts.hpp"
#include "host/cache/server_contact.hpp"
#include "host/config/connection_config.hpp"
#include "host/config/manifest.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// Upstream's rate of a discovery client: 20 a second, 200 at once.
inline constexpr TokenBucket::Rate kDiscoveryRate{20, 200};

/// Thread-safe. Rule for the identities: docs/spec/host.md, section 6.
class HostClients {
  struct Connections {
    std::unique_ptr<Transport> own;        // Null: the seams bring one.
    std::unique_ptr<Transport> anonymous;  // Null: none is needed, or the seams bring one.
  };

 public:
  /// Each reference outlives the clients.
  struct Seams {
    Clock& clock;
    RestMetrics& metrics;
    Logger log;
    /// The transport to the server; null: connections follow the configuration.
    Transport* transport;
  };

  /// Prepares the connections; sends nothing. The error is one line for the user.
  [[nodiscard]] static Result<std::unique_ptr<HostClients>> open(const Manifest& manifest,
                                                                 const ConnectionConfig& connection,
                                                                 const Seams& seams);
  /// See open().
  HostClients(const Manifest& manifest, const ConnectionConfig& connection, const Seams& seams,
              Connections made);
  HostClients(const HostClients&) = delete;
  HostClients& operator=(const HostClients&) = delete;

  /// The way of the host's own requests.
  [[nodiscard]] Transport& transport() { return transport_; }
  /// Notified of each success of a client with options() of this.
  [[nodiscard]] ServerContact& contact() { return contact_; }

  /// The way of a controller's requests, and the end of their user agent.
  struct Route {
    Transport& transport;
    std::string agent;
  };
  /// The transport of a client, with its own ServiceAccount if controllers have separate accounts.
  [[nodiscard]] Route route(const std::string& client);

  /// Those given, and what applies to all clients. `agent`: the end of the user agent.
  [[nodiscard]] RestOptions options(std::string_view agent, RestOptions options);
  /// The rate limit of a controller's client, or of one of the host's own.
  [[nodiscard]] TokenBucket::Rate rate(std::string_view controller = {}) const {
    const ClientRate rate = controller_rate(manifest_.client, controller);
    return {rate.qps, rate.burst};
  }
  [[nodiscard]] DryRun dry_run() const {
    return manifest_.dry_run ? DryRun::kServer : DryRun::kOff;
  }

  /// Closes connections that were idle for long. To be called every few seconds.
  void close_idle();
  /// No token of a ServiceAccount is fetched from now on; see ServiceAccounts::stop().
  void stop();

 private:
  // Fixed after construction.
  const Manifest manifest_;
  const std::optional<FailureBackoffLimits> failure_backoff_;
  ServerContact contact_;
  const Connections made_;
  Transport& transport_;
  RestClient account_client_;                // Requests the tokens of `accounts_` as the host.
  std::optional<ServiceAccounts> accounts_;  // Only if controllers have separate accounts.
};

}  // namespace davit::host
