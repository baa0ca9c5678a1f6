#include "host/cache/server_history.hpp"

#include <davit/mutant.hpp>

#include "lib/kube/schema/schema.hpp"

namespace davit::host {
namespace {

bool is_of_main_store(const ResourceId& id) {
  const std::string api_version = id.group.empty() ? id.version : id.group + '/' + id.version;
  return id.resource != "events" && has_schemas(api_version);
}

}  // namespace

void ServerHistory::went_back(const ResourceId& resource, std::string_view known,
                              std::string_view version) {
  const Restore what{resource.text(), std::string(known), std::string(version)};
  if (is_of_main_store(resource)) return end(what);
  MutexLock lock(mutex_);
  doubt_ = what;
}

void ServerHistory::resolve_doubt(InformerFactory& informers, Time now) {
  using Verified = InformerFactory::Verified;
  if (is_restored()) return;
  std::optional<Restore> doubt;
  {
    MutexLock lock(mutex_);
    if (verified_at_ && now - *verified_at_ < kVerificationPeriod) return;
    doubt = std::exchange(doubt_, std::nullopt);
  }
  if (!doubt) return;
  const Verified verified = informers.verify_newest(is_of_main_store, now);
  {
    MutexLock lock(mutex_);
    if (verified == Verified::kOne) verified_at_ = now;
    if (verified == Verified::kNoneSynced && !doubt_) doubt_ = doubt;
    if (verified != Verified::kNone || !undecided_.insert(doubt->resource).second) return;
  }
  if (on_undecided_) on_undecided_(*doubt);
}

void ServerHistory::follow(InformerFactory& informers, Time now) {
  bool was_away = false;
  informers.each([&](const Informer& each, InformerFactory::Life) {
    const std::optional<Time> since = each.freshness().followed_since;
    if (!since || !each.has_synced() || !is_of_main_store(each.resource())) return;
    const auto [known, is_new] = followed_since_.try_emplace(each.resource(), *since);
    if (*since > known->second) {
      known->second = *since;
      was_away = true;
    }
  });
  if (was_away && !is_restored()) {
    static_cast<void>(informers.verify_newest(is_of_main_store, now));
  }
  resolve_doubt(informers, now);
}

void ServerHistory::end(const Restore& what) {
  if (mutant("restored-server")) return;
  if (!is_restored_.exchange(true, std::memory_order_acq_rel)) on_restored_(what);
}

WriteGate ServerHistory::fence(WriteGate gate) const {
  return [this, gate = std::move(gate)]() -> Status {
    if (is_restored()) {
      return {Code::kCancelled, "the API server was restored to an older state"};
    }
    return gate ? gate() : Status();
  };
}

}  // namespace davit::host
