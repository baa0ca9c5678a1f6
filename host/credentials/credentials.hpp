/// The client's identity: tokens, passwords, credential plugins and impersonation.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "host/config/connection_config.hpp"
#include "host/transport/rest_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// The credentials of one request. Never logged.
struct Credential {
  std::string authorization;  ///< "Bearer …"; empty: none.
  std::shared_ptr<const ClientCertificate> certificate;
};

/// Credential::authorization of a token.
[[nodiscard]] std::string bearer_authorization(std::string_view token);

/// One per connection. Thread-safe.
class Credentials {
 public:
  Credentials() = default;
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;
  virtual ~Credentials() = default;

  /// Credentials for the next request. May read a file or run a program; other callers wait for it.
  [[nodiscard]] virtual Result<Credential> get() = 0;
  /// Whether get() would return at once, but for reading a file.
  [[nodiscard]] virtual bool is_ready() { return true; }
  /// Reports that the server returned 401 to a request with `used`.
  virtual void rejected(const Credential& used) = 0;
};

/// The credentials of `config`. kInvalid if they contradict each other. Every reference must
/// outlive the result.
[[nodiscard]] Result<std::unique_ptr<Credentials>> make_credentials(const ConnectionConfig& config,
                                                                    Clock& clock,
                                                                    RestMetrics& metrics,
                                                                    Logger log);

/// The Impersonate-* headers, or kInvalid for groups without a user and for what no header can
/// carry.
[[nodiscard]] Result<HttpHeaders> impersonation_headers(const Impersonation& who);

/// Adds credentials and impersonation to every request that does not bring its own, and takes note
/// of 401. `credentials` and `inner` become its own.
[[nodiscard]] std::unique_ptr<Transport> add_credentials(std::unique_ptr<Transport> inner,
                                                         std::unique_ptr<Credentials> credentials,
                                                         HttpHeaders impersonation);

/// The same over a shared transport. `inner` must outlive the result, whose close_idle() leaves it
/// alone.
[[nodiscard]] std::unique_ptr<Transport> add_credentials(Transport& inner,
                                                         std::unique_ptr<Credentials> credentials);

}  // namespace davit::host
