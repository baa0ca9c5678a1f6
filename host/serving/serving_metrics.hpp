/// Counters of the HTTPS server.
#pragma once

#include <string_view>

#include "lib/base/clock.hpp"

namespace davit::host {

/// Thread-safe; must not block. Names, labels and buckets are upstream's (spec host.md, 9.1).
class ServingMetrics {
 public:
  /// The two kinds of requests to the API server.
  enum class Delegated { kAuthentication, kAuthorization };
  enum class CacheUse { kHit, kMiss };
  enum class Outcome { kSuccess, kFailure };
  /// The answer to whether a user may have access. Without an opinion it is refused as well.
  enum class Decision { kAllowed, kDenied, kNoOpinion, kError };

  ServingMetrics() = default;
  ServingMetrics(const ServingMetrics&) = delete;
  ServingMetrics& operator=(const ServingMetrics&) = delete;
  virtual ~ServingMetrics() = default;

  /// authentication_attempts and authentication_duration_seconds: one request.
  virtual void authentication(Outcome outcome, Duration took) = 0;
  /// authenticated_user_requests: one request of that user, who may be the anonymous one.
  virtual void authenticated_user(std::string_view name) = 0;
  /// authorization_attempts_total and authorization_duration_seconds: one request.
  virtual void authorization(Decision decision, Duration took) = 0;

  /// apiserver_delegated_auth[nz]_request_*; `code` is HTTP's, or "<error>".
  virtual void delegated_request(Delegated kind, std::string_view code, Duration took) = 0;
  /// authentication_token_cache_request_*.
  virtual void token_cache_request(CacheUse use, Duration took) = 0;
  /// authentication_token_cache_fetch_total, and one fetch less in flight.
  virtual void token_fetch_ended(Outcome outcome) = 0;
  /// authentication_token_cache_active_fetch_count{status="in_flight"}.
  virtual void token_fetch_began() = 0;
  /// apiserver_client_certificate_expiration_seconds.
  virtual void client_certificate(Duration until_expiry) = 0;
  /// davit_serving_certificate_reloads_total.
  virtual void certificate_reloaded(Outcome outcome) = 0;
  /// davit_serving_certificate_expiration_timestamp_seconds.
  virtual void certificate_expires(WallTime at) = 0;
};

}  // namespace davit::host
