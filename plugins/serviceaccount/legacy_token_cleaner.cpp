#include "plugins/serviceaccount/legacy_token_cleaner.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include "plugins/serviceaccount/configuration.hpp"
#include "plugins/serviceaccount/pod_secrets.hpp"

namespace davit::serviceaccount {
namespace {

constexpr std::chrono::hours kPeriod{24};  // DefaultCleanerSyncInterval

}  // namespace

InitResult LegacyTokenCleaner::open(Context& cluster) {
  const Value config = cluster.config();
  if (Status s = check_text_options(config, {kPeriodOption}); !s.ok()) return s;
  const Result<Duration> period = read_cleanup_period(config);
  if (!period) return period.error();
  return std::unique_ptr<Controller>(std::make_unique<LegacyTokenCleaner>(cluster, *period));
}

LegacyTokenCleaner::LegacyTokenCleaner(Context& cluster, Duration period)
    : cluster_(cluster),
      period_(period),
      secrets_(cluster.open_informer<TokenSecret>({}, {.field_selector = kTokenSecrets})),
      accounts_(cluster.open_informer<ServiceAccount>()) {
  cluster.start_timer({.period = kPeriod}, [this] { evaluate(); });
}

void LegacyTokenCleaner::evaluate() const {
  const std::optional<WallTime> since = tracked_since();
  if (!since || !is_tracked_long_enough(*since, cluster_.wall_now(), period_)) return;
  UsedSecrets used;
  for (const TokenSecret& each : secrets_.list()) {
    if (!clean(each, used)) return;
  }
}

std::optional<WallTime> LegacyTokenCleaner::tracked_since() const {
  const Key key{std::string(kTrackingNamespace), std::string(kTrackingMap)};
  const Result<ConfigMap> map = cluster_.client().get<ConfigMap>(key);
  if (!map) {
    if (map.error().code() == Code::kCancelled) return std::nullopt;
    cluster_.log().error("cannot read since when the use of tokens is tracked",
                         {{"configmap", key.text()}, {"error", map.error().message()}});
    return std::nullopt;
  }
  const std::string_view text = map->data()["since"].string();
  const std::optional<WallTime> since = parse_day(text);
  if (!since) {
    cluster_.log().error("\"since\" is not a day such as 2024-05-01",
                         {{"configmap", key.text()}, {"since", text}});
  }
  return since;
}

bool LegacyTokenCleaner::clean(const TokenSecret& secret, UsedSecrets& used) const {
  const Lookup<ServiceAccount> account = accounts_.get(secret.ns(), secret.account());
  const TokenFate fate = fate_of(secret, account ? std::optional(*account) : std::nullopt,
                                 cluster_.wall_now(), period_);
  if (fate == TokenFate::kKept) return true;
  const Result<bool> is_in_use = is_used(secret, used);
  Status outcome = is_in_use.error();
  if (is_in_use && !*is_in_use) {
    outcome = fate == TokenFate::kMarked ? mark(secret) : remove(secret);
  }
  if (outcome.code() == Code::kCancelled) return false;
  if (!outcome.ok()) {
    cluster_.log().error("an unused token was not cleaned up",
                         {{"secret", secret.key().text()}, {"error", outcome.message()}});
  }
  return true;
}

Result<bool> LegacyTokenCleaner::is_used(const TokenSecret& secret, UsedSecrets& used) const {
  auto found = used.find(secret.ns());
  if (found == used.end()) {
    std::set<std::string> names;
    const Status listed =
        cluster_.client().list_pages(Request::list<Pod>(secret.ns()), [&names](const Page& page) {
          if (page.restarted) names.clear();
          for (const Value each : page.items()) {
            for (const std::string_view name : secrets_of(Pod(each))) names.emplace(name);
          }
        });
    if (!listed.ok()) return listed;
    found = used.emplace(std::string(secret.ns()), std::move(names)).first;
  }
  return found->second.contains(std::string(secret.name()));
}

Status LegacyTokenCleaner::mark(const TokenSecret& secret) const {
  return cluster_.client()
      .patch<TokenSecret>(secret.key(), PatchType::kMerge, mark_patch(secret, cluster_.wall_now()),
                          {.answer = Answer::kMetadata})
      .error();
}

Status LegacyTokenCleaner::remove(const TokenSecret& secret) const {
  return cluster_.client()
      .remove<TokenSecret>(secret.key(),
                           {.resource_version = std::string(secret.resource_version())})
      .unless(Code::kNotFound)
      .unless(Code::kConflict);
}

}  // namespace davit::serviceaccount
