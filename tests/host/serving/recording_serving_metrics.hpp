/// ServingMetrics that a test can read.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "host/serving/serving_metrics.hpp"
#include "lib/base/mutex.hpp"

namespace davit::test {

/// Counts by name: "authentication error", "user ann", "authorization no-opinion", "authn 201",
/// "token hit", "reload error". Thread-safe.
class RecordingServingMetrics final : public host::ServingMetrics {
 public:
  void authentication(Outcome outcome, Duration /*took*/) override {
    count(outcome == Outcome::kSuccess ? "authentication success" : "authentication error");
  }
  void authenticated_user(std::string_view name) override { count("user " + std::string(name)); }
  void authorization(Decision decision, Duration /*took*/) override {
    count(decision == Decision::kAllowed     ? "authorization allowed"
          : decision == Decision::kDenied    ? "authorization denied"
          : decision == Decision::kNoOpinion ? "authorization no-opinion"
                                             : "authorization error");
  }
  void delegated_request(Delegated kind, std::string_view code, Duration /*took*/) override {
    count((kind == Delegated::kAuthentication ? "authn " : "authz ") + std::string(code));
  }
  void token_cache_request(CacheUse use, Duration /*took*/) override {
    count(use == CacheUse::kHit ? "token hit" : "token miss");
  }
  void token_fetch_ended(Outcome outcome) override {
    count(outcome == Outcome::kSuccess ? "fetch ok" : "fetch error");
  }
  void token_fetch_began() override { count("fetch"); }
  void client_certificate(Duration /*until_expiry*/) override { count("client certificate"); }
  void certificate_reloaded(Outcome outcome) override {
    count(outcome == Outcome::kSuccess ? "reload success" : "reload error");
  }
  void certificate_expires(WallTime at) override {
    count("expiry");
    MutexLock lock(mutex_);
    expires_ = at;
  }

  [[nodiscard]] int of(const std::string& name) const {
    MutexLock lock(mutex_);
    const auto found = counts_.find(name);
    return found == counts_.end() ? 0 : found->second;
  }

  /// The last end of the serving certificates that was reported.
  [[nodiscard]] WallTime expires() const {
    MutexLock lock(mutex_);
    return expires_;
  }

 private:
  void count(const std::string& name) {
    MutexLock lock(mutex_);
    ++counts_[name];
  }

  mutable Mutex mutex_;
  std::map<std::string, int> counts_ GUARDED_BY(mutex_);
  WallTime expires_ GUARDED_BY(mutex_){};
};

}  // namespace davit::test
