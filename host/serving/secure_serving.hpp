/// The HTTPS port: certificate, authentication, authorization and server put together.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "host/api/rest_client.hpp"
#include "host/config/kubeconfig.hpp"
#include "host/config/manifest.hpp"
#include "host/serving/access_control.hpp"
#include "host/serving/access_reviews.hpp"
#include "host/serving/client_trust.hpp"
#include "host/serving/serving_certificate.hpp"
#include "host/serving/serving_metrics.hpp"
#include "host/transport/rest_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/net/http_server.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// Life:  open() → look_up_trust() → (tick() every second). All on the main thread.
class SecureServing {
 public:
  /// Borrowed; all must outlive it.
  struct Seams {
    Transport& transport;  ///< To the API server, where no kubeconfig names another one.
    Clock& clock;
    Random& random;
    RestMetrics& rest_metrics;
    ServingMetrics& metrics;
    HttpServer::Handler pages;
    std::function<bool(const HttpServerRequest&)> is_probe;  ///< HttpServerOptions::is_probe.
  };

  /// Serves at once: until look_up_trust(), with what the settings alone say of clients. The error
  /// is one line that names the flag.
  [[nodiscard]] static Result<std::unique_ptr<SecureServing>> open(const Manifest& manifest,
                                                                   Seams seams, const Logger& log);
  ~SecureServing();
  /// For open() only: it serves nothing yet.
  SecureServing(const Manifest& manifest, Seams seams, const Logger& log);
  SecureServing(const SecureServing&) = delete;
  SecureServing& operator=(const SecureServing&) = delete;

  /// Reads the ConfigMap with the authorities of clients, unless the settings say not to. Blocks.
  /// A ConfigMap that does not exist is none; other failures are an error, unless the settings
  /// tolerate them (k8s.io/apiserver/pkg/server/options.DelegatingAuthenticationOptions).
  [[nodiscard]] Status look_up_trust(const std::stop_token& stop);

  /// Reads files and the ConfigMap again from time to time. Does not block.
  void tick();

  /// When the first client certificate of `own`, the host's own kubeconfig, and of those for
  /// reviews expires; nothing without one. Reads files.
  [[nodiscard]] std::optional<WallTime> client_certificate_end(const ConnectionConfig& own) const;

  /// "0.0.0.0:10257"
  [[nodiscard]] std::string endpoint() const { return server_->endpoint(); }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

 private:
  /// Returns the transport for `kubeconfig`; creates it unless it is the host's own.
  [[nodiscard]] Result<Transport*> way_to(const std::string& kubeconfig, const char* flag,
                                          std::unique_ptr<Transport>& made);
  [[nodiscard]] Status serve(const Manifest& manifest);
  void warn_of_cipher_suites() const;
  [[nodiscard]] Status read_config_map(const std::stop_token& stop);

  const AuthenticationSettings authentication_;
  const AuthorizationSettings authorization_;
  const ServingSettings serving_;
  const Seams seams_;
  const Logger log_;
  std::vector<ConnectionConfig> own_kubeconfigs_;  // Those for reviews.
  std::unique_ptr<Transport> authentication_way_;  // Null: the host's own.
  std::unique_ptr<Transport> authorization_way_;
  std::unique_ptr<RestClient> authentication_client_;
  std::unique_ptr<RestClient> authorization_client_;
  std::unique_ptr<TrustSource> trust_;
  std::unique_ptr<AccessReviews> reviews_;
  std::unique_ptr<ServingCertificate> certificate_;
  std::unique_ptr<AccessControl> access_;
  Time files_due_{};
  Time config_map_due_ = Time::max();
  RequestThreads threads_;              // Their jobs use the others.
  std::unique_ptr<HttpServer> server_;  // Last: it uses the others.
};

}  // namespace davit::host
