#include "plugins/bootstrap/token_cleaner.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <davit/mutant.hpp>
#include <davit/options.hpp>
#include <memory>
#include <string>
#include <utility>

#include "plugins/bootstrap/token_signature.hpp"

namespace davit::bootstrap {
namespace {

/// The longest wait. The wall clock may be set meanwhile, and times of year 9999 fit no Duration.
constexpr std::chrono::hours kWaitMax{1};

/// The time until a token expires, at most kWaitMax.
Duration wait_for(const WireTime& end, WallTime now) {
  const WireTime current = wire_time(now);
  const std::int64_t seconds =
      std::min<std::int64_t>(end.seconds - current.seconds,
                             std::chrono::duration_cast<std::chrono::seconds>(kWaitMax).count());
  return std::min<Duration>(
      std::chrono::seconds(seconds) + std::chrono::nanoseconds(end.nanos - current.nanos),
      kWaitMax);
}

}  // namespace

InitResult TokenCleaner::open(Context& cluster) {
  if (Status s = check_options(cluster.config(), {}); !s.ok()) return s;
  auto made = std::make_unique<TokenCleaner>(cluster);
  if (!made->secrets_) return made->secrets_.error();
  return std::unique_ptr<Controller>(std::move(made));
}

TokenCleaner::TokenCleaner(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "token_cleaner"},
                                [this](const Key& key) { return sync(key); })),
      secrets_(cluster.open_dynamic_informer(
          informer_of<TokenSecret>(
              {.ns = kTokenNamespace, .field_selector = kTokenSecrets, .field = "data.expiration"}),
          {.added = [this](const ObjectView& secret) { queue_.add(secret); },
           .updated = [this](const ObjectView&,
                             const ObjectView& secret) { queue_.add(secret); }})) {}

Result<Again> TokenCleaner::sync(const Key& key) const {
  const Lookup<ObjectView> secret = secrets_->get(key);
  if (!secret) return Again::when_changed();
  const BootstrapTokenExpiration expiration = expiration_of(TokenSecret(secret->value()));
  if (!expiration.is_set) return Again::when_changed();
  const WallTime now = cluster_.wall_now();
  if (!expiration.is_over(now)) return Again::after(wait_for(*expiration.time, now));
  // The cache may be older than the server, where the token may live longer by now.
  DeleteOptions conditions{.uid = std::string(secret->uid())};
  if (!mutant("judged-token")) {
    conditions.resource_version = std::string(secret->resource_version());
  }
  const Status deleted =
      cluster_.client().remove<TokenSecret>(key, std::move(conditions)).unless(Code::kNotFound);
  if (!deleted.ok()) return deleted;
  return Again::when_changed();
}

}  // namespace davit::bootstrap
