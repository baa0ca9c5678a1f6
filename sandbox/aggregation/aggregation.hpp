/// Aggregated APIs: APIServices whose groups another server serves.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/kube/user_info.hpp"
#include "lib/net/http_message.hpp"
#include "lib/net/transport.hpp"
#include "sandbox/aggregation/backend_connector.hpp"
#include "sandbox/aggregation/merged_discovery.hpp"
#include "sandbox/aggregation/remote_service.hpp"
#include "sandbox/rest/url.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// The content of a group version as its server described it last.
struct LearntVersion {
  Json discovery;       ///< An APIVersionDiscovery without `freshness`.
  bool stale = true;    ///< The server did not answer the last time.
  std::string openapi;  ///< RemoteVersion::openapi
  /// The part of its OpenAPI v2 document that is about the group version; null: it has none.
  std::shared_ptr<const Json> openapi_v2 = nullptr;
};

/// Proxies requests for aggregated APIs, and knows what they serve. Thread-safe. The rules of
/// kube-aggregator.
class Aggregation {
 public:
  /// Borrowed, each thread-safe.
  struct Parts {
    Store& store;
    Clock& clock;
    BackendConnector& connector;
    /// Presented to the servers, whose requestheader-client-ca-file vouches for it. Null: none.
    std::shared_ptr<const ClientCertificate> certificate;
  };

  explicit Aggregation(Parts parts);

  /// Whether another server serves the path.
  [[nodiscard]] bool serves(const Url& url) EXCLUDES(mutex_);
  /// The response of the other server, deferred. Nothing: this server serves the path itself.
  /// `who` has the right to make the request. Never blocks.
  [[nodiscard]] std::optional<HttpServerResponse> serve(const HttpServerRequest& request,
                                                        const Url& url, const UserInfo& who)
      EXCLUDES(mutex_);

  /// The current APIServices.
  [[nodiscard]] std::shared_ptr<const RegisteredServices> services() EXCLUDES(mutex_);
  /// The aggregated APIs for documents of discovery.
  [[nodiscard]] RemoteApis apis() EXCLUDES(mutex_);
  /// Keeps what is known of an APIService; nothing: forgets it.
  void learn(const std::string& name, std::optional<LearntVersion> version) EXCLUDES(mutex_);

  /// A request of the aggregator itself in the name of `who`, which ends after 5 s.
  [[nodiscard]] HttpRequest own_request(std::string target, std::string accept,
                                        const UserInfo& who) const;
  /// The transport to the server of a remote service; `verify` as the service says if unset.
  [[nodiscard]] Result<std::shared_ptr<Transport>> connect(
      const RegisteredService& service,
      std::optional<BackendServer::Verify> verify = std::nullopt) const;

 private:
  class Place;
  /// Null: this server serves the path itself. `known` owns the result.
  [[nodiscard]] static const RegisteredService* service_of(const RegisteredServices& known,
                                                           const Url& url);
  /// The response to a request for another protocol.
  [[nodiscard]] HttpServerResponse upgrade(const HttpServerRequest& request,
                                           const RegisteredService& service,
                                           const BackendServer& server, const UserInfo& who);
  /// The right to one more exchange with the service's server; null: it has `share_max` of them.
  [[nodiscard]] std::shared_ptr<void> take_place(const std::string& name, std::size_t share_max);

  /// Exchanges at a time: each has 1 MiB of a body at most. A server that hangs holds its share
  /// only.
  static constexpr std::size_t kExchangesMax = 1024;
  static constexpr std::size_t kShareMax = kExchangesMax / 4;
  /// Connections of other protocols at a time: each has a thread, and 512 KiB of unsent bytes.
  static constexpr std::size_t kUpgradedMax = 64;
  /// The numbers of exchanges, by service. Outlives the Aggregation with the last exchange.
  struct Exchanges {
    Mutex mutex;
    std::map<std::string, std::size_t> counts GUARDED_BY(mutex);
    std::size_t total GUARDED_BY(mutex) = 0;
  };

  const Parts parts_;
  const std::shared_ptr<Exchanges> exchanges_ = std::make_shared<Exchanges>();
  Mutex mutex_;
  bool changed_ GUARDED_BY(mutex_) = true;  // Since known_ was read.
  std::shared_ptr<const RegisteredServices> known_ GUARDED_BY(mutex_);
  std::map<std::string, LearntVersion> learnt_ GUARDED_BY(mutex_);
  std::unique_ptr<Store::Subscription> subscription_;  // Last: it uses all of the above.
};

}  // namespace davit::sandbox
