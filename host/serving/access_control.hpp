/// Decides who may see what on the HTTPS port.
#pragma once

#include <memory>
#include <string>

#include "host/config/serving_settings.hpp"
#include "host/serving/access_reviews.hpp"
#include "host/serving/client_trust.hpp"
#include "host/serving/known_clients.hpp"
#include "host/serving/request_threads.hpp"
#include "host/serving/review_cache.hpp"
#include "host/serving/serving_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/net/http_server.hpp"

namespace davit::host {

/// Delegated authentication and authorization, as in k8s.io/apiserver: docs/spec/host.md, 8.4 and
/// 8.5. A request that needs an answer of the API server gets a deferred response, so the server's
/// thread does not wait. If the API server gives no answer, the response is 503, except on paths
/// that everybody may read. handle() is for the server's thread.
class AccessControl {
 public:
  /// Borrowed; all but `threads` must outlive it.
  struct Seams {
    const TrustSource& trust;
    AccessReviews& reviews;
    RequestThreads& threads;  ///< Its jobs end before this does.
    Clock& clock;
    ServingMetrics& metrics;
    HttpServer::Handler pages;  ///< Serves the requests that are allowed.
  };

  AccessControl(const AuthenticationSettings& authentication,
                const AuthorizationSettings& authorization, Seams seams, const Logger& log);
  ~AccessControl();
  AccessControl(const AccessControl&) = delete;
  AccessControl& operator=(const AccessControl&) = delete;

  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request);
  /// Whether the request shows credentials that were allowed to read a page lately: its reviews go
  /// before those of others. For the server's thread.
  [[nodiscard]] bool is_known(const HttpServerRequest& request) const;

 private:
  class Passage;
  using TokenReviews = ReviewCache<std::optional<UserInfo>>;
  using AccessAnswers = ReviewCache<AccessAnswer>;

  [[nodiscard]] bool is_always_allowed(std::string_view path) const;
  [[nodiscard]] std::shared_ptr<const Review<std::optional<UserInfo>>> review_token(
      const std::string& token, RequestThreads::Line line);
  [[nodiscard]] std::shared_ptr<const Review<AccessAnswer>> review_access(
      const UserInfo& user, const AccessAttributes& what, RequestThreads::Line line);
  /// An unpredictable name for the credentials; empty if there are none.
  [[nodiscard]] std::string name_of(const ShownCredentials& shown) const;
  /// An unpredictable name for a token, so that the cache has none.
  [[nodiscard]] std::string name_of(const std::string& token) const;

  const Duration token_ttl_;
  const AuthorizationSettings authorization_;
  const Seams seams_;
  const Logger log_;
  const std::string token_key_;  // Random, one a process.
  TokenReviews tokens_{seams_.threads, seams_.clock};
  AccessAnswers answers_{seams_.threads, seams_.clock};
  KnownClients known_;
};

}  // namespace davit::host
