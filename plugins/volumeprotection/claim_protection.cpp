#include "plugins/volumeprotection/claim_protection.hpp"

#include <davit/options.hpp>
#include <memory>
#include <string>
#include <utility>

#include "plugins/shared/gates/read_switch.hpp"
#include "plugins/shared/volumes/pod_claims.hpp"
#include "plugins/volumeprotection/finalizers.hpp"
#include "plugins/volumeprotection/used_claims.hpp"

namespace davit::volumeprotection {

InitResult ClaimProtection::open(Context& cluster) {
  constexpr std::string_view kGateSwitch = "unusedSinceTime";
  const Value config = cluster.config();
  if (Status s = check_options(config, {kGateSwitch}); !s.ok()) return s;
  const Result<bool> on = gates::read_switch(config, kGateSwitch);
  if (!on) return on.error();
  return std::unique_ptr<Controller>(
      std::make_unique<ClaimProtection>(cluster, *on ? UnusedGate::kOn : UnusedGate::kOff));
}

ClaimProtection::ClaimProtection(Context& cluster, UnusedGate gate)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "pvcprotection"},
                                [this](const Key& ns) { return sync(ns); })),
      claims_(cluster.open_informer<volumes::Claim>(
          {.added = [this](const volumes::Claim& claim) { on_claim(claim); },
           .updated = [this](const volumes::Claim&,
                             const volumes::Claim& claim) { on_claim(claim); }})),
      pods_(
          cluster.open_informer<Pod>({.any = [this](const Event<Pod>& event) { on_pod(event); }})) {
  if (gate == UnusedGate::kOn) unused_.emplace(cluster, claims_, pods_);
}

void ClaimProtection::add(const ObjectView& object) const {
  queue_.add(Key{.ns = "", .name = std::string(object.ns())});
}

void ClaimProtection::on_claim(const volumes::Claim& claim) const {
  if (needs(claim, kClaimFinalizer) || is_held(claim, kClaimFinalizer)) add(claim);
  if (unused_) unused_->add(claim);
}

void ClaimProtection::on_pod(const Event<Pod>& event) const {
  const bool is_another = event.old && event.old->uid() != event.current.uid();
  const bool is_gone = event.type == Event<Pod>::Type::kDeleted;
  if (is_another) add_freed(*event.old);
  if (is_gone || (event.old && volumes::is_shut_down(event.current))) add_freed(event.current);
  if (!unused_) return;
  if (is_another) unused_->add_claims_of(*event.old);
  unused_->add_claims_of(event.current);
}

void ClaimProtection::add_freed(const Pod& pod) const {
  // The deletion of a claim that the cache does not show yet adds the namespace itself.
  const auto waits = [this, &pod](Value volume) {
    const std::string name = volumes::claim_name(pod, volume);
    if (name.empty()) return false;
    const Lookup<volumes::Claim> claim = claims_.get(pod.ns(), name);
    return claim && is_held(*claim, kClaimFinalizer);
  };
  if (volumes::any_volume(pod, waits)) add(pod);
}

Result<Again> ClaimProtection::sync(const Key& ns) const {
  std::vector<Request> writes;
  std::vector<volumes::Claim> deleted;
  for (const volumes::Claim& each : claims_.in_namespace(ns.name)) {
    if (needs(each, kClaimFinalizer)) {
      writes.push_back(finalizer_request(each, patch_with(each, kClaimFinalizer)));
    } else if (is_held(each, kClaimFinalizer)) {
      deleted.push_back(each);
    }
  }
  Result<Again> outcome = free_unused(ns, deleted, writes);
  // An error keeps no other claim.
  for (const Result<Value>& each : cluster_.client().batch(writes)) {
    Status written = each.error().unless(Code::kNotFound);
    if (!written.ok() && outcome) outcome = std::move(written);
  }
  return outcome;
}

Result<Again> ClaimProtection::free_unused(const Key& ns,
                                           const std::vector<volumes::Claim>& deleted,
                                           std::vector<Request>& writes) const {
  UsedClaims used(deleted);
  for (const Pod& each : pods_.in_namespace(ns.name)) used.add(each);
  if (used.are_all()) return Again::when_changed();
  const std::size_t cached = used.size();
  const Status listed =
      cluster_.client().list_pages(Request::list<Pod>(ns.name), [&used](const Page& page) {
        for (const Value each : page.items()) used.add(Pod(each));
      });
  if (!listed.ok()) return listed;
  for (const volumes::Claim& each : used.unused()) {
    writes.push_back(finalizer_request(each, patch_without(each, kClaimFinalizer)));
  }
  // A pod that the cache does not have yet may come and go without an event.
  return used.size() > cached ? Again::with_backoff() : Again::when_changed();
}

}  // namespace davit::volumeprotection
